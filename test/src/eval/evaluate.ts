import { ask } from './ask.ts'
import type { Collection } from './collection.ts'
import type { EvaluatedDaybook } from './daybook/evaluated-daybook.ts'
import { loadMemories, untilSearchable } from './daybook/load-memories.ts'
import { type Method, nameOf, usesVectors } from './method.ts'
import { type MethodReport, reportMethod, reportQuestion } from './report/report.ts'

/**
 * Loads the collection, waits until all of it can be found, and asks every question with every method, one at
 * a time.
 *
 * The gateway caches the vectors of questions. So among methods that use vectors, only the first one's
 * latency includes embedding.
 */
export async function evaluate(
  daybook: EvaluatedDaybook,
  { groups }: Collection,
  methods: readonly Method[],
  report: (line: string) => void,
): Promise<MethodReport[]> {
  const vectors = methods.some(usesVectors)
  for (const group of groups) {
    report(`${group.name}: ${group.memories.length} memories`)
    await loadMemories(daybook.place(group.name), group)
  }
  for (const group of groups) await untilSearchable(daybook.place(group.name), vectors, report)
  const reports: MethodReport[] = []
  for (const method of methods) {
    report(`asking by ${nameOf(method)}`)
    const questions = []
    for (const group of groups) {
      const place = daybook.place(group.name)
      // The first search of a project fills caches that later ones use.
      if (group.questions[0] !== undefined)
        await ask(place, method, { ...group.questions[0], text: 'warm up' })
      for (const question of group.questions)
        questions.push(reportQuestion(question, await ask(place, method, question)))
    }
    reports.push(reportMethod(nameOf(method), questions))
  }
  return reports
}
