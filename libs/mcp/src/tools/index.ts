import type { Toolset } from '../toolsets.ts'
import { contextFor } from './context-for.ts'
import { get, getEntity, history } from './get.ts'
import { list, listLabels, listTypes } from './lists.ts'
import { memory } from './memory-files.ts'
import {
  getAllFriends,
  getEvents,
  getInterests,
  getPanicAttacks,
  pop,
  recall,
  searchByEmotion,
  searchByPerson,
} from './people.ts'
import { indexDocument, remember } from './remember.ts'
import { review } from './review.ts'
import { forget, resolveTodo, restore, revise, undo } from './revise.ts'
import { search } from './search.ts'
import { similaritySearch } from './similarity-search.ts'
import { backfillEmbeddings, ping } from './system.ts'
import type { Tool } from './tool.ts'

/** Every tool, in the order in which clients list them. A new one is one file beside this one and one line here. */
export const TOOLS: readonly Tool[] = [
  remember,
  search,
  contextFor,
  recall,
  pop,
  get,
  list,
  revise,
  history,
  forget,
  restore,
  undo,
  resolveTodo,
  listLabels,
  listTypes,
  getEntity,
  searchByPerson,
  searchByEmotion,
  getAllFriends,
  getInterests,
  getEvents,
  getPanicAttacks,
  indexDocument,
  similaritySearch,
  memory,
  review,
  ping,
  backfillEmbeddings,
]

/** The tools of the sets. */
export const toolsOf = (toolsets: readonly Toolset[]): readonly Tool[] =>
  TOOLS.filter(({ toolset }) => toolsets.includes(toolset))
