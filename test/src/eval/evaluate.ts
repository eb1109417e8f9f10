import { type Answer, ask } from './ask.ts'
import type { Asked, Collection, Question } from './collection.ts'
import type { EvaluatedDaybook, Place } from './daybook/evaluated-daybook.ts'
import { loadMemories, untilSearchable } from './daybook/load-memories.ts'
import { type Method, nameOf, usesVectors } from './method.ts'
import { reliability } from './report/reliability.ts'
import { type MethodReport, reportMethod, reportQuestion } from './report/report.ts'
import { type ScoredAnswer, scoreFloors } from './report/score-floors.ts'

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
    await daybook.rankWithout(method.without)
    const answered: Answered[] = []
    const nothing: Answer[] = []
    for (const group of groups) {
      const place = daybook.place(group.name)
      // The first search of a project fills caches that later ones use.
      if (group.questions[0] !== undefined)
        await ask(place, method, { ...group.questions[0], text: 'warm up' })
      for (const question of group.questions)
        answered.push({ question, answer: await ask(place, method, question) })
      nothing.push(...(await askAll(place, method, group.unanswerable ?? [])))
    }
    const whole = method.without.length > 0 ? nameOf({ ...method, without: [] }) : undefined
    reports.push({
      ...reportAnswers(nameOf(method), answered, nothing),
      ...(whole === undefined ? {} : { whole }),
    })
  }
  return reports
}

interface Answered {
  readonly question: Question
  readonly answer: Answer
}

async function askAll(place: Place, method: Method, questions: readonly Asked[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const question of questions) answers.push(await ask(place, method, question))
  return answers
}

function reportAnswers(
  name: string,
  answered: readonly Answered[],
  nothing: readonly Answer[],
): MethodReport {
  const scored: ScoredAnswer[] = answered.map(({ question, answer }) => ({
    relevant: question.relevant.size,
    hits: answer.found.map((id, index) => ({
      score: answer.scores[index] ?? 0,
      relevant: question.relevant.has(id),
    })),
  }))
  return {
    ...reportMethod(
      name,
      answered.map(({ question, answer }) => reportQuestion(question, answer)),
    ),
    reliability: reliability(scored.flatMap(({ hits }) => hits)),
    ...(nothing.length === 0
      ? {}
      : {
          unanswerable: scoreFloors(
            scored,
            nothing.map(({ scores }) => scores),
          ),
        }),
  }
}
