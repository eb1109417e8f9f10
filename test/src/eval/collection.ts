/** Memories and judged questions: what a Daybook is evaluated with, whatever file it came from. */
export interface Collection {
  readonly name: string
  readonly groups: readonly Group[]
}

/** Memories that are a project of their own, and the questions that are asked there. */
export interface Group {
  /** Unlike that of groups of other collections, which may be in the same project. */
  readonly name: string
  /** In the order in which they are remembered. */
  readonly memories: readonly JudgedMemory[]
  readonly questions: readonly Question[]
}

export interface JudgedMemory {
  /** By which judgements name it; unique in its group. */
  readonly id: string
  /** The API's `RememberInput`. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface Question {
  /** Unique in the collection, and the same in every run, so that reports can be compared. */
  readonly id: string
  readonly text: string
  /** What sort of question it is; null where the format tells none. */
  readonly category: string | null
  /** How relevant each memory is that should be found, 1 or more, by its id. Never empty. */
  readonly relevant: ReadonlyMap<string, number>
  /** The API's `MemoryFilter` that is asked with; without `categories`, which the evaluation uses itself. */
  readonly filter?: Readonly<Record<string, unknown>>
}

/** The same memories and questions in one project: every question has the other groups' memories against it. */
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
 * At most so many questions, taken evenly from the whole, so that every group and category keeps its share.
 * @param limit 1 or more
 */
export function limitQuestions({ name, groups }: Collection, limit: number): Collection {
  const total = groups.reduce((sum, group) => sum + group.questions.length, 0)
  if (limit >= total) return { name, groups }
  let before = 0
  // One stays wherever the line from (0, 0) to (total, limit) passes a whole number.
  const stays = () => {
    before += 1
    return Math.floor((before * limit) / total) > Math.floor(((before - 1) * limit) / total)
  }
  return {
    name,
    groups: groups.map((group) => ({ ...group, questions: group.questions.filter(stays) })),
  }
}

/** @returns the collection, where ids name one thing each and there is something to ask. @throws Error saying what is wrong */
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
