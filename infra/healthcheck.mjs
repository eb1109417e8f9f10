// Docker's health check: exits with 0 if the service in this container lives, else with 1. Images need not
// have curl.
const port = process.env.DAYBOOK_PORT ?? '4000'
const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => null,
)
process.exit(answer?.ok ? 0 : 1)
