import manifest from '../package.json' with { type: 'json' }

/** Daybook's version: all packages of the repository carry the same. */
export const VERSION: string = manifest.version
