import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe-core finds that is serious or critical on the page as it is now, each as a sentence. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Over the debugger, which the page's policy does not concern.
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe }
    return (await loaded.run(document, { resultTypes: ['violations'] })).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}
