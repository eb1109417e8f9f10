import { check } from '@daybook/memory/check'
import { splitText } from '@daybook/memory/documents/split-text'
import { ValidationError } from '@daybook/memory/errors'
import { rememberedId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { bytes, bytesInWords, shortString, sizeInWords } from '@daybook/memory/text-rules'
import { builder } from '../builder.ts'
import { append, checkIdempotencyKey, rememberResult } from './remember.ts'

const LIMIT = sizeInWords(LIMITS.documentBytes)

/** The texts of a document's parts. @throws ValidationError if the document is too long */
function split(content: string): [string, ...string[]] {
  const size = bytes(content)
  if (size > LIMITS.documentBytes)
    throw new ValidationError(
      'content',
      `is too long: the limit is ${LIMIT} of UTF-8, and it has ${bytesInWords(size)}. Index it as several documents, each with an id of its own, such as one for each chapter`,
    )
  return splitText(content) as [string, ...string[]]
}

const checkId = (id: string) => check('id', shortString(LIMITS.nameCharacters), id)

builder.mutationField('indexDocument', (t) =>
  t.field({
    type: rememberResult,
    description: `Indexes a document under an id of yours. The same id again is a revision, also of a forgotten document, which comes back; if nothing differs, nothing is written. A content of more than 64 KiB, at most ${LIMIT}, becomes several documents: the first has your id, and the others name it in part.`,
    args: {
      id: t.arg.string({
        required: true,
        description: 'Unique in the project, such as a path or an address; at most 255 characters.',
      }),
      content: t.arg.string({ required: true }),
      title: t.arg.string(),
      metadata: t.arg({ type: 'JSON', description: 'At most 16 KiB. Stays as it is unless given.' }),
      context: t.arg.string({ description: 'Stays as it is unless given.' }),
      idempotencyKey: t.arg.string(),
    },
    resolve: async (_, { id, content, title, metadata, context: namespace, idempotencyKey }, context) => {
      const [first, ...furtherParts] = split(content)
      const input = {
        content: { kind: 'document', fields: { externalId: checkId(id), content: first, title } },
        ...(furtherParts.length > 0 && { furtherParts }),
        ...(metadata != null && { metadata }),
        ...(namespace != null && { context: namespace }),
      }
      try {
        const key = checkIdempotencyKey(idempotencyKey)
        const command = { type: 'remember', id: rememberedId(context.project.projectId, key), input } as const
        return await append(context, command, key)
      } catch (error) {
        throw error instanceof ValidationError ? asArgument(error) : error
      }
    },
  }),
)

/** The error in the names of this mutation's arguments. */
function asArgument(error: ValidationError): ValidationError {
  const names = { content: 'content', title: 'title' } as const
  for (const [field, argument] of Object.entries(names))
    if (error.field === `content.document.${field}`) return error.renamed(argument)
  return error
}
