import manifest from '../package.json' with { type: 'json' }

/** Daybook's version. All packages of the repository have the same. */
export const VERSION: string = manifest.version
