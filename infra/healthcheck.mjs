// Asks the service in this container whether it lives: 0 yes, 1 no. For Docker, whose images need not have curl.
const port = process.env.DAYBOOK_PORT ?? '4000'
const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => null,
)
process.exit(answer?.ok ? 0 : 1)
