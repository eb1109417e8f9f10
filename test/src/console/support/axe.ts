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

/** The same in the light and in the dark theme, of a page that looks as the system says. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const findings: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    findings.push(...(await seriousFindings(page)))
  }
  return findings
}
