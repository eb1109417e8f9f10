import type { Reporter, TestModule } from 'vitest/node'

/**
 * Seconds that a test file may take, by lane. Longer ones are printed at the end, longest first; nothing
 * fails because of it.
 */
const BUDGETS: Readonly<Record<string, number>> = { unit: 2, servers: 30, alone: 30 }

export default class BudgetReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const over = modules
      .map((module) => ({
        name: module.moduleId.slice(process.cwd().length + 1),
        seconds: module.diagnostic().duration / 1_000,
        budget: BUDGETS[module.project.name] ?? 30,
      }))
      .filter(({ seconds, budget }) => seconds > budget)
      .toSorted((a, b) => b.seconds - a.seconds)
    if (over.length === 0) return
    console.log('\nOver their time budget:')
    for (const { name, seconds, budget } of over)
      console.log(`  ${seconds.toFixed(1).padStart(6)} s of ${budget}  ${name}`)
  }
}
