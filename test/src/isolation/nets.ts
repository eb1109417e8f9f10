import { isDeepStrictEqual } from 'node:util'
import { newId } from '@daybook/memory/id'
import { namesIn } from './leaks.ts'
import { firstDifference, masked } from './masked.ts'
import { COMMON, newWord, type Project, releaseQuarantines } from './project.ts'
import { type RootField, type Slot, textSlots, variablesOf } from './schema-operations.ts'
import { askField, chooserFor, type Reader, type World } from './world.ts'

/** Ids and names of another project, and beside each what nobody has. */
function foreignAndMadeUp(other: Project, home: Project): readonly (readonly [string, string])[] {
  // A key of several projects belongs to each.
  const last = (of: keyof Project['ids']) => other.ids[of].findLast((id) => !home.ids[of].includes(id))
  const memory = last('memory')
  const kind = memory?.slice(0, memory.indexOf(':'))
  const pairs: (readonly [string | undefined, string])[] = [
    [memory, `${kind}:${newId()}`],
    [memory?.slice(memory.indexOf(':') + 1), newId()],
    [last('key'), newId()],
    [last('operation'), newId()],
    [last('event'), newId()],
    [other.id, newId()],
    [other.name, `project ${newWord()}`],
    [last('hash'), newId().replaceAll('-', '').repeat(2)],
  ]
  return pairs.flatMap(([foreign, madeUp]) => (foreign === undefined ? [] : [[foreign, madeUp] as const]))
}

/** Whether a text argument names something, rather than says something. */
function names(field: RootField, { path, type }: Slot): boolean {
  if (type === 'ID') return true
  // What is looked up by a key is searched for if there is none, so that the answer depends on the words.
  if (field.name.startsWith('recall') || field.name === 'pop') return false
  return /(?:id|hash|project|projects|cursor|after|actor)$/iu.test(path.at(-1) ?? '')
}

/** What could be asked with an id of somebody else: a field of the API, and a place in its arguments. */
export function foreignProbes(fields: readonly RootField[]): readonly (readonly [RootField, Slot])[] {
  return fields.flatMap((field) =>
    textSlots(field.args)
      .filter((slot) => names(field, slot))
      .map((slot) => [field, slot] as const),
  )
}

/** How often two subscriptions are compared before their answers are said to differ. */
const SUBSCRIBED_AGAIN = 20

/**
 * Asks with each id of another project, and then with one that nobody has. The answers must be alike: the same codes,
 * the same words.
 */
export async function compareWithMadeUp(
  world: World,
  reader: Reader,
  [field, slot]: readonly [RootField, Slot],
): Promise<string[]> {
  const other = world.projects.find((one) => !reader.readable.includes(one)) as Project
  const isMutation = field.kind === 'mutation'
  const isNew = ([foreign]: readonly [string, string]) =>
    // An id of one's own for a document, where one of the same name is there already.
    !(namesIn(foreign).some((name) => world.stored.get(reader.home.id)?.has(name)) && isOwnName(field, slot))
  const compare = async (pair: readonly [string, string]): Promise<string[]> => {
    const askWith = async (given: string) => {
      // The project's own quarantine of the same key, from an earlier random operation, refuses another one.
      if (field.name === 'quarantineWriter') await releaseQuarantines(reader.home)
      const variables = withSlot(world, reader, field, slot, given)
      const json = await askField(
        world,
        reader,
        field,
        variables,
        field.kind === 'subscription' ? 'SSE' : 'POST',
      )
      return masked(json, [given], isMutation)
    }
    let difference: string | null = null
    // A busy machine may answer one of two subscriptions only after the time that both are listened to.
    for (let left = field.kind === 'subscription' ? SUBSCRIBED_AGAIN : 1; left > 0; left -= 1) {
      const [one, next] = await inTurn(pair, askWith, !isMutation)
      difference = firstDifference(one, next)
      if (difference === null) return []
    }
    return [`${reader.name}: ${field.name} with ${slot.path.join('.')} = ${pair.join(' or ')}: ${difference}`]
  }
  return (await inTurn(foreignAndMadeUp(other, reader.home).filter(isNew), compare, !isMutation)).flat()
}

const isOwnName = ({ name }: RootField, { path }: Slot): boolean =>
  name === 'indexDocument' || path.at(-1) === 'externalId'

/** Does it for each, all at once unless it writes. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  atOnce: boolean,
): Promise<Result[]> {
  if (atOnce) return Promise.all(items.map(work))
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}

/** As little as the field needs, and at the place what is given. Each time as new, so that nothing is repeated. */
function withSlot(
  world: World,
  reader: Reader,
  field: RootField,
  slot: Slot,
  given: string,
): Readonly<Record<string, unknown>> {
  const leads = (path: readonly string[]) =>
    path.length <= slot.path.length && path.every((name, at) => slot.path[at] === name)
  // A hash belongs to a sequence, which has another name.
  const partner = /^(.*)Hash$/u.exec(slot.path.at(-1) ?? '')?.[1]
  const chooser = chooserFor(
    world,
    reader,
    field,
    (among) => among[0] as never,
    (path) => leads(path) || path.at(-1) === partner || (field.name === 'undo' && path[0] === 'everything'),
  )
  return variablesOf(field.args, {
    ...chooser,
    // Of a content that is one of several, the note.
    pick: (among) =>
      (among.find((one) =>
        [slot.path[slot.path.length - 2], 'note'].includes((one as { name?: string }).name ?? '-'),
      ) ?? (partner === undefined ? among[0] : among.at(-1))) as never,
    text: (type, path) => {
      if (isDeepStrictEqual(path, slot.path)) return given
      return path.at(-1) === 'text' ? `${COMMON.words[0]} ${reader.home.marker}` : chooser.text(type, path)
    },
  })
}

/**
 * What a project is told of itself: every query, with its own arguments. It must not change while others write, not in
 * counts, scores, facets or explanations.
 */
export async function snapshot(world: World, reader: Reader): Promise<ReadonlyMap<string, unknown>> {
  const queries = world.fields.filter(({ kind }) => kind === 'query')
  const answers = queries.map(async (field) => {
    const variables = variablesOf(field.args, {
      pick: (among) => (among.includes('AUTO' as never) ? ('AUTO' as never) : (among.at(-1) as never)),
      maybe: (path) => IN_SNAPSHOT.has(path.at(-1) ?? ''),
      text: (type, path) =>
        type === 'ID'
          ? (reader.home.ids.memory[0] ?? newId())
          : /hash/iu.test(path.at(-1) ?? '')
            ? (reader.home.ids.hash[0] ?? '')
            : `${COMMON.words[0]} ${COMMON.words[1]}`,
    })
    const json = await askField(world, reader, field, variables)
    return [`${field.name} ${JSON.stringify(variables)}`, masked(json, [], false)] as const
  })
  return new Map(await Promise.all(answers))
}

/** Arguments that a snapshot gives although they may be left out. */
const IN_SNAPSHOT = new Set(['limit', 'first', 'minScore', 'text', 'values'])

/** What is answered otherwise than before. */
export function changed(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...before].flatMap(([request, one]) => {
    const difference = firstDifference(one, after.get(request))
    return difference === null ? [] : [`${request}: ${difference}`]
  })
}
