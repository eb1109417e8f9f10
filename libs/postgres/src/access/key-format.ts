import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/*
 * A key is `dbk_`, 30 random characters of 62 (178 bits), and 6 characters that are the CRC-32 of those 30.
 * GitHub's tokens have this form (github.blog, "Behind GitHub's new authentication token formats"): scanners
 * find a leaked key by its beginning and its checksum, and a mistyped key is told from an unknown one.
 *
 * Keys made before have 43 characters of base64url; the one in DAYBOOK_DEFAULT_KEY has what its maker chose.
 */

/** How every key begins, so that scanners recognise a leaked one. */
export const KEY_PREFIX = 'dbk_'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM = 30
const CHECKSUM = 6
/** The characters after `dbk_` that a display shows. */
const SHOWN = 6

const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`, 'u')

/** Makes a key. */
export function newKey(): string {
  let random = ''
  // 248 = 4 × 62: without larger bytes, every character is equally likely.
  while (random.length < RANDOM)
    for (const byte of randomBytes(RANDOM))
      if (byte < 248 && random.length < RANDOM) random += ALPHABET[byte % 62]
  return KEY_PREFIX + random + checksumOf(random)
}

/**
 * Whether the text has the form of a key but another checksum, so that no Daybook can have made it. A key that
 * somebody chose for DAYBOOK_DEFAULT_KEY may look like that too: ask the database first.
 */
export function isMistyped(key: string): boolean {
  if (!FORM.test(key)) return false
  const body = key.slice(KEY_PREFIX.length)
  return checksumOf(body.slice(0, RANDOM)) !== body.slice(RANDOM)
}

/** The key's beginning, by which people recognise it in a list. */
export const shownPrefix = (key: string): string => key.slice(0, KEY_PREFIX.length + SHOWN)

/** The SHA-256 of a key. A fast hash is enough: a key cannot be guessed. */
export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place += 1) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
