import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { answerable, type Conversation, toRememberInputs } from '../../locomo/conversations.ts'
import type { Collection, Group } from '../collection.ts'
import { originalConversations } from './original-locomo.ts'

/** The names of LoCoMo's categories. 5, unanswerable, is not asked. */
const CATEGORIES: Readonly<Record<number, string>> = {
  1: 'several pieces',
  2: 'time',
  3: 'inference',
  4: 'single piece',
}

/** The name of a conversation's file. */
const CONVERSATION_FILE = /^conv-\d+\.json$/u

/**
 * Whether the path is a folder with `conv-<n>.json`, one such file, or `locomo<n>.json` as LoCoMo's authors
 * publish it.
 */
export function isLocomo(path: string): boolean {
  if (!existsSync(path)) return false
  return statSync(path).isDirectory()
    ? readdirSync(path).some((file) => CONVERSATION_FILE.test(file))
    : /^(conv-|locomo)\d+\.json$/u.test(basename(path))
}

/**
 * Loads LoCoMo (Maharana et al., ACL 2024): each conversation is a group, each turn a memory, each session a
 * context.
 */
export function loadLocomo(path: string): Collection {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((file) => CONVERSATION_FILE.test(file))
        .toSorted()
        .map((file) => join(path, file))
    : [path]
  const conversations = files.flatMap((file) => {
    const data = JSON.parse(readFileSync(file, 'utf8')) as unknown
    return Array.isArray(data) ? originalConversations(data) : [data as Conversation]
  })
  return { name: 'LoCoMo', groups: conversations.map(toGroup) }
}

function toGroup(conversation: Conversation): Group {
  const { conversation: number } = conversation
  return {
    name: `conversation ${number}`,
    memories: [...toRememberInputs(conversation)].map((input) => ({ id: input.metadata.turn, input })),
    questions: answerable(conversation).map(({ question, category, evidence }, index) => ({
      id: `${number}/${index + 1}`,
      text: question,
      category: CATEGORIES[category] ?? `category ${category}`,
      relevant: new Map(evidence.map((id) => [id, 1])),
    })),
  }
}
