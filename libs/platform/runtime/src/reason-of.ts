/** An error's message, or any other thrown value as text. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
