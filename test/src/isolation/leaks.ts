import type { Project } from './project.ts'

/** A part of an answer that belongs to a project which the asking key may not use. */
export interface Leak {
  readonly who: string
  readonly request: string
  /** With what stands around it. */
  readonly found: string
}

const NAMES = /zq[0-9a-f]{12}|[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu

/**
 * What a text shows of projects that are not the reader's: their markers, and their ids.
 * @param sent the ids and names that the reader's project sent, now or to be stored: they may come back
 */
export function foreignIn(
  text: string,
  sent: ReadonlySet<string>,
  readable: readonly Project[],
  all: readonly Project[],
): string | null {
  const others = all.filter((one) => !readable.includes(one))
  const around = (at: number) => `…${text.slice(Math.max(0, at - 200), at + 80)}…`
  const marked = others.find(({ marker }) => text.includes(marker))
  if (marked !== undefined) return `the marker of another project: ${around(text.indexOf(marked.marker))}`
  // A key of several projects belongs to each.
  const own = idsOf(readable)
  const foreign = idsOf(others)
  const found = [...text.matchAll(NAMES)].find(([id]) => foreign.has(id) && !own.has(id) && !sent.has(id))
  return found === undefined ? null : `an id or name of another project: ${around(found.index)}`
}

const idsOf = (projects: readonly Project[]): ReadonlySet<string> =>
  new Set(
    projects.flatMap(({ id, name, ids }) => [
      id,
      name.replace('project ', ''),
      ...Object.values(ids).flat().map(plain),
    ]),
  )

/** The ids and names in a text. */
export const namesIn = (text: string): readonly string[] => [...text.matchAll(NAMES)].map(([name]) => name)

/** Without the kind of a memory. */
const plain = (id: string): string => id.slice(id.lastIndexOf(':') + 1)
