/** What stands for a secret. */
const MASK = '[masked]'

/** Secrets that are known by how they begin, and their lengths at least. */
const KNOWN = [
  // Ours.
  /\bdbk_[\w-]{8,}/gu,
  // OpenAI, Anthropic, Stripe and others.
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/gu,
  // GitHub, GitLab, Slack, npm, PyPI, Hugging Face, DigitalOcean.
  /\b(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|npm_|pypi-|hf_|dop_v1_)[\w-]{16,}/gu,
  // AWS and Google.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu,
  /\bAIza[\w-]{30,}/gu,
  // JSON Web Tokens.
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/gu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*-----)?/gu,
]

/*
 * Each repetition below is bounded, or begins where the one before it cannot have ended: a long text without blanks took half a minute
 * otherwise.
 */

/** What follows one of these words is a secret, in `password=…`, `"api_key": "…"`, `token: …` and `--secret …`. */
const NAMED =
  /(?<name>(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w-]{0,40}["']?\s{0,3}(?:[=:]|\bis\b)\s{0,3}["']?|--[\w-]{0,40}?(?:password|secret|token|key)[ =]["']?)(?<value>[^\s"',;)}\]]{4,})/giu

const BEARER = /\b(?<scheme>bearer|basic)\s{1,3}[\w.~+/=-]{8,}/giu
/** `https://user:password@host` */
const IN_URL = /(?<before>\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/giu

/** A long run of letters and digits that no word or name has. Numbers of commits are taken for secrets too: a session loses little by it. */
const RUN = /(?<![\w/.+=-])[A-Za-z0-9+_=-]{32,}(?![\w/.])/gu
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

/** Whether a variable is named instead of its value, as in `$NAME`, `${env:NAME}` and `token_env_var = "NAME"`. */
const isReference = (name: string, value: string) => value.startsWith('$') || /env_var/iu.test(name)

/** Whether it is a sentence, such as "the token is missing". */
const isProse = (name: string, value: string) => /\bis\s+$/iu.test(name) && !/\d/u.test(value)

/**
 * Replaces what looks like a key, a password or a token. It errs towards masking; what does not look like a secret, such as a
 * short password in the middle of a sentence, it cannot know.
 */
export function maskSecrets(text: string): string {
  let masked = text
  for (const pattern of KNOWN) masked = masked.replaceAll(pattern, MASK)
  return masked
    .replaceAll(BEARER, `$<scheme> ${MASK}`)
    .replaceAll(IN_URL, `$<before>${MASK}`)
    .replaceAll(NAMED, (all, name: string, value: string) =>
      isReference(name, value) || value.includes(MASK) || isProse(name, value) ? all : name + MASK,
    )
    .replaceAll(RUN, (run) => (/\d/u.test(run) && /[A-Za-z]/u.test(run) && !UUID.test(run) ? MASK : run))
}
