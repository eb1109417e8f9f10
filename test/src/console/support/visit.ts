import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Where screenshots are kept, one for each journey; undefined, so none is made, unless somebody wants to look at them. */
const SCREENSHOTS = process.env['DAYBOOK_TEST_SCREENSHOTS']

/** How a visitor's browser is. */
export interface VisitOptions {
  /** CSS pixels. Default 1280 × 800. */
  readonly width?: number
  readonly height?: number
  /** Default light. */
  readonly dark?: boolean
  /** The address of a proxy, whose connections a journey cuts. Default none. */
  readonly through?: string
  /** IANA name. Default `Europe/Berlin`, so that UTC shows up as a mistake. */
  readonly timeZone?: string
}

/** One browser of its own: cookies, storage, and what it complained about. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page threw, what its policy refused, and which other hosts it asked. */
  readonly complaints: readonly string[]
  /** All complaints so far, which a journey provoked: they do not fail it. */
  takeComplaints(): readonly string[]
  /** Keeps the whole page, or another one of this browser, as `<name>.png` in the folder `DAYBOOK_TEST_SCREENSHOTS`. */
  screenshot(name: string, of?: Page): Promise<void>
  /** Closes the browser's window. @throws where the page complained about anything */
  end(): Promise<void>
}

/** @param url of the daemon; the page may ask no other host */
export async function startVisit(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, dark = false, timeZone = 'Europe/Berlin', through }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    ...(through !== undefined && { proxy: { server: through } }),
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    timezoneId: timeZone,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  // Only what hangs takes so long.
  context.setDefaultTimeout(240_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
  const complaints: string[] = []
  const taken: string[] = []
  await context.exposeBinding('daybookRefused', (_, what: string) =>
    complaints.push(`refused by the policy: ${what}`),
  )
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) =>
      (globalThis as unknown as { daybookRefused(what: string): void }).daybookRefused(
        `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      ),
    ),
  )
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== new URL(url).origin)
      complaints.push(`asked ${request.url()}`)
  })
  return {
    page,
    context,
    complaints,
    takeComplaints() {
      taken.push(...complaints.splice(0))
      return taken
    },
    async screenshot(name, of = page) {
      if (SCREENSHOTS === undefined) return
      await of.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
    },
    async end() {
      await context.close()
      expect(complaints).toEqual([])
    },
  }
}
