import * as queries from '@daybook/api/queries'
import { z } from 'zod'
import {
  AGENT_MEMORY,
  FOUND,
  FOUND_OUTPUT,
  foundAnswer,
  LISTED_OUTPUT,
  listedAnswer,
  NAMED_OUTPUT,
  namedAnswer,
} from '../answers/memory.ts'
import { limit } from './search.ts'
import { tool } from './tool.ts'

const FRIENDS = queries.friends('name summary importance memories memory { id }')

/** The people that are known. */
export const getAllFriends = tool({
  name: 'get_all_friends',
  toolset: 'people',
  title: 'List people',
  description: 'Lists the people that memories are about, the most important first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: NAMED_OUTPUT,
  example: () => ({ limit: 10 }),
  run: async (input, session) =>
    namedAnswer(
      (await session.ask(FRIENDS, input)).friends,
      'No people are known: remember them with the category person.',
    ),
})

const EVENTS = queries.recentEvents('...AgentMemory', [AGENT_MEMORY])

/** What happened lately. */
export const getEvents = tool({
  name: 'get_events',
  toolset: 'people',
  title: 'List recent events',
  description: 'Lists memories of the category event, the newest first by when it happened.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: LISTED_OUTPUT,
  example: () => ({ limit: 5 }),
  run: async (input, session) =>
    listedAnswer(
      (await session.ask(EVENTS, input)).recentEvents,
      'No events are known: remember them with the category event and occurredAt.',
    ),
})

const INTERESTS = queries.interests('name summary importance memories memory { id }')

/** The interests that are known. */
export const getInterests = tool({
  name: 'get_interests',
  toolset: 'people',
  title: 'List interests',
  description: 'Lists interests and hobbies that memories tell of, the most important first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: NAMED_OUTPUT,
  example: () => ({}),
  run: async (input, session) =>
    namedAnswer(
      (await session.ask(INTERESTS, input)).interests,
      'No interests are known: remember them with the category interest.',
    ),
})

const ATTACKS = queries.panicAttacks('...AgentMemory', [AGENT_MEMORY])

/** Panic attacks by date. */
export const getPanicAttacks = tool({
  name: 'get_panic_attacks',
  toolset: 'people',
  title: 'List panic attacks',
  description: 'Lists memories of the category emotion that speak of panic, the newest first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: LISTED_OUTPUT,
  example: () => ({}),
  run: async (input, session) =>
    listedAnswer((await session.ask(ATTACKS, input)).panicAttacks, 'No panic attacks are remembered.'),
})

const PERSON = queries.searchByPerson('...Found', [FOUND])

/** Memories that mention somebody. */
export const searchByPerson = tool({
  name: 'search_by_person',
  toolset: 'people',
  title: 'Search by person',
  description: 'Finds memories that mention a person by name, those most about them first.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(10) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'Ada' }),
  run: async (input, session) => foundAnswer((await session.ask(PERSON, input)).searchByPerson),
})

const EMOTION = queries.searchByEmotion('...Found', [FOUND])

/** Memories of a feeling. */
export const searchByEmotion = tool({
  name: 'search_by_emotion',
  toolset: 'people',
  title: 'Search by emotion',
  description: 'Finds memories of the category emotion by the meaning of a feeling: happy finds joy.',
  effect: 'reads',
  input: z.object({ emotion: z.string(), limit: limit(10) }),
  output: FOUND_OUTPUT,
  example: () => ({ emotion: 'joy' }),
  run: async (input, session) => foundAnswer((await session.ask(EMOTION, input)).searchByEmotion),
})

const RECALL = queries.recall('...Found', [FOUND])

/** Insights by key. */
export const recall = tool({
  name: 'recall',
  toolset: 'core',
  title: 'Recall an insight',
  description: 'Gets the insight with exactly this key; else searches insights for it.',
  effect: 'reads',
  input: z.object({ key: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ key: 'jwt-validation' }),
  run: async (input, session) => foundAnswer((await session.ask(RECALL, input)).recall),
})

const POP = queries.pop('...Found', [FOUND])

/** Stashes by name. */
export const pop = tool({
  name: 'pop',
  toolset: 'core',
  title: 'Pick up a stash',
  description:
    'Gets the stash (work put aside) with exactly this name; else searches stashes for it. The stash stays.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'auth-refactor' }),
  run: async (input, session) => foundAnswer((await session.ask(POP, input)).pop),
})
