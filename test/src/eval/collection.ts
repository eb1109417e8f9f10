/** Memories and judged questions to evaluate a Daybook with, from any file format. */
export interface Collection {
  readonly name: string
  readonly groups: readonly Group[]
}

/** Memories of one project, and the questions to ask there. */
export interface Group {
  /** Unique across collections, because several may be in the same project. */
  readonly name: string
  /** In the order in which they are remembered. */
  readonly memories: readonly JudgedMemory[]
  readonly questions: readonly Question[]
  /** Questions that nothing in the group answers. Default none. */
  readonly unanswerable?: readonly Asked[]
}

/** A memory of a collection. */
export interface JudgedMemory {
  /** The id that judgements use; unique in its group. */
  readonly id: string
  /** The API's `RememberInput`. */
  readonly input: Readonly<Record<string, unknown>>
}

/** A question as it is asked. */
export interface Asked {
  /** Unique in the collection, and the same in every run, so that reports can be compared. */
  readonly id: string
  readonly text: string
  /** The API's `MemoryFilter` for the question. It has no `categories`, which the evaluation uses itself. */
  readonly filter?: Readonly<Record<string, unknown>>
}

/** A question with its relevant memories. */
export interface Question extends Asked {
  /** The sort of question; null if the format has none. */
  readonly category: string | null
  /** The relevance of each memory that should be found, 1 or more, by its id. Never empty. */
  readonly relevant: ReadonlyMap<string, number>
}

/**
 * Puts all memories and questions into one project, where every question competes with the other groups'
 * memories.
 */
export function together({ name, groups }: Collection): Collection {
  const inGroup = (group: Group, id: string) => `${group.name}/${id}`
  const joined = `${name}, together`
  return {
    name: joined,
    groups: [
      {
        name: joined,
        memories: groups.flatMap((group) =>
          group.memories.map((memory) => ({ ...memory, id: inGroup(group, memory.id) })),
        ),
        questions: groups.flatMap((group) =>
          group.questions.map((question) => ({
            ...question,
            relevant: new Map([...question.relevant].map(([id, grade]) => [inGroup(group, id), grade])),
          })),
        ),
      },
    ],
  }
}

/**
 * Takes at most `limit` questions, evenly from the whole, so that every group and category keeps its share.
 * @param limit 1 or more
 */
export function limitQuestions({ name, groups }: Collection, limit: number): Collection {
  const total = groups.reduce((sum, group) => sum + group.questions.length, 0)
  if (limit >= total) return { name, groups }
  let before = 0
  // A question stays wherever the line from (0, 0) to (total, limit) passes a whole number.
  const stays = () => {
    before += 1
    return Math.floor((before * limit) / total) > Math.floor(((before - 1) * limit) / total)
  }
  return {
    name,
    groups: groups.map((group) => ({ ...group, questions: group.questions.filter(stays) })),
  }
}

/**
 * Checks that ids are unique and that there is a question.
 * @returns the collection
 * @throws Error that says what is wrong
 */
export function checkCollection(collection: Collection): Collection {
  const { name, groups } = collection
  const questions = groups.flatMap((group) => group.questions)
  if (questions.length === 0) throw new Error(`${name} has no question with an answer`)
  const twice =
    repeated(questions.map(({ id }) => id)) ??
    groups.map((group) => repeated(group.memories.map(({ id }) => id))).find((id) => id !== undefined)
  if (twice !== undefined) throw new Error(`${name} has the id ${twice} twice`)
  return collection
}

function repeated(ids: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return ids.find((id) => seen.size === seen.add(id).size)
}
