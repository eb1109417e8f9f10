/**
 * Makes the bundles of services, and the console's, unless they are there and fresh. Processes that start side by side would make one each,
 * in 1 to 3 s of CPU time.
 */
export async function bundleServices(services: readonly string[]): Promise<void> {
  // JavaScript, so typed nowhere.
  const { freshBundle, freshConsole } = (await import('../../../scripts/fresh-bundle.mjs' as string)) as {
    freshBundle: (service: string) => Promise<string>
    freshConsole: () => Promise<string>
  }
  await Promise.all([freshConsole(), ...services.map(freshBundle)])
}

/** vitest's global setup of the lane with processes: what nearly all of its files start. */
export const setup = () => bundleServices(['daemon', 'cli'])
