import { EmbedderError } from '../embedder-error.ts'
import { type HttpModel, MAX_DIMENSION } from './http-models.ts'

/**
 * A provider's vectors, checked and scaled to length 1, which shortened ones are not.
 * @throws EmbedderError `WRONG_DIMENSION`, or `PROVIDER_REFUSED_TEXT` if vectors are missing or not numbers
 */
export function unitVectors(
  vectors: readonly (readonly number[])[],
  { texts, model }: { readonly texts: number; readonly model: HttpModel },
): Float32Array[] {
  const { provider, model: name, dimension } = model
  if (vectors.length !== texts)
    throw new EmbedderError(
      'PROVIDER_REFUSED_TEXT',
      `${name} gave ${vectors.length} vectors for ${texts} texts`,
    )
  return vectors.map((numbers) => {
    if (numbers.length !== dimension)
      throw new EmbedderError(
        'WRONG_DIMENSION',
        `${name} gives vectors of ${numbers.length} numbers, not of ${dimension}: ${
          numbers.length > MAX_DIMENSION
            ? `an index takes at most ${MAX_DIMENSION}, so take another model`
            : `name it ${provider}/${name}/${numbers.length} in DAYBOOK_EMBEDDER and --model`
        }`,
      )
    const length = Math.hypot(...numbers)
    if (!Number.isFinite(length) || length === 0)
      throw new EmbedderError('PROVIDER_REFUSED_TEXT', `${name} gave a vector that has no direction`)
    return Float32Array.from(numbers, (number) => number / length)
  })
}
