import type { Collection, Question } from './collection.ts'

/**
 * Adds questions that no memory of a group answers: as many as the group has itself, taken evenly from the
 * other groups, or from another collection. They show what a search answers where it should answer nothing.
 * They are asked without their filters, which would leave nothing to find.
 * @param from another collection; null for the other groups of this one
 * @throws Error if there is only one group and no other collection
 */
export function withUnanswerable({ name, groups }: Collection, from: Collection | null): Collection {
  if (from === null && groups.length < 2)
    throw new Error(
      `${name} has one group, so every question has an answer in it: name another collection with --unanswerable <path>`,
    )
  return {
    name,
    groups: groups.map((group) => ({
      ...group,
      unanswerable: evenly(
        (from?.groups ?? groups).filter((other) => other !== group).flatMap(({ questions }) => questions),
        group.questions.length,
      ),
    })),
  }
}

function evenly(questions: readonly Question[], count: number) {
  const step = Math.max(1, questions.length / Math.max(1, count))
  return Array.from({ length: Math.min(count, questions.length) }, (_, index) => {
    const { id, text } = questions[Math.floor(index * step)] as Question
    return { id, text }
  })
}
