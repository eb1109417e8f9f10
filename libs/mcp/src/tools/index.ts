import type { Toolset } from '../toolsets.ts'
import { backfillEmbeddings } from './backfill-embeddings.ts'
import { contextFor } from './context-for.ts'
import { forget } from './forget.ts'
import { get } from './get.ts'
import { getAllFriends } from './get-all-friends.ts'
import { getEntity } from './get-entity.ts'
import { getEvents } from './get-events.ts'
import { getInterests } from './get-interests.ts'
import { getPanicAttacks } from './get-panic-attacks.ts'
import { history } from './history.ts'
import { indexDocument } from './index-document.ts'
import { listLabels } from './list-labels.ts'
import { listTypes } from './list-types.ts'
import { ping } from './ping.ts'
import { pop } from './pop.ts'
import { recall } from './recall.ts'
import { remember } from './remember.ts'
import { resolveTodo } from './resolve-todo.ts'
import { restore } from './restore.ts'
import { revise } from './revise.ts'
import { search } from './search.ts'
import { searchByEmotion } from './search-by-emotion.ts'
import { searchByPerson } from './search-by-person.ts'
import { similaritySearch } from './similarity-search.ts'
import type { Tool } from './tool.ts'
import { undo } from './undo.ts'

/** Every tool, in the order in which clients list them. A new one is one file beside this one and one line here. */
export const TOOLS: readonly Tool[] = [
  remember,
  search,
  contextFor,
  recall,
  pop,
  get,
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
  ping,
  backfillEmbeddings,
]

/** The tools of the sets. */
export const toolsOf = (toolsets: readonly Toolset[]): readonly Tool[] =>
  TOOLS.filter(({ toolset }) => toolsets.includes(toolset))
