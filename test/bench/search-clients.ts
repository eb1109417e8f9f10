import { fromClients, median, printComparison, seconds } from './bench.ts'

/** What several clients get that ask at once, against one alone. */
const CLIENTS = 8
/** More than the two cores that a search and its database share can give: it shows how far they are from idle. */
const GOAL = 3
/** How many questions are asked in one turn. */
const TURN = 40

/**
 * Measures searches a second, from one client and from eight at a time, in turns. No question is asked twice.
 *
 * @param questions at least `2 × TURN`; as many turns as they are enough for
 */
export async function measureClients(
  ask: (query: string) => Promise<unknown>,
  questions: readonly string[],
  where: string,
): Promise<void> {
  const rates = new Map([1, CLIENTS].map((clients) => [clients, [] as number[]]))
  const turns = Math.floor(questions.length / (2 * TURN))
  for (let turn = 0; turn < turns; turn += 1)
    for (const [place, [clients, measured]] of [...rates].entries()) {
      const left = questions.slice((2 * turn + place) * TURN, (2 * turn + place + 1) * TURN)
      measured.push(TURN / (await seconds(() => fromClients(clients, left, ask))))
    }
  const rateOf = (clients: number) => median(rates.get(clients) ?? [])
  const show = (clients: number) => ({
    label: clients === 1 ? 'one client' : `${clients} clients at once`,
    value: `${rateOf(clients).toFixed(1)} searches/s`,
  })
  printComparison({
    title: `searches over GraphQL, ${where}, median of ${turns} turns of ${TURN}`,
    ours: show(CLIENTS),
    theirs: show(1),
    ratio: rateOf(CLIENTS) / rateOf(1),
    goal: { atLeast: GOAL },
  })
}
