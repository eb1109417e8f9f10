import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  oneof,
  record,
  string,
  stringMatching,
} from 'fast-check'

/** `odd` one time in six. */
const rarely = (odd: Arbitrary<string>, usual: Arbitrary<string>) =>
  oneof({ weight: 1, arbitrary: odd }, { weight: 5, arbitrary: usual })

/**
 * Bytes of a request that somebody may send, as latin1: targets and headers that are right, nearly right, or
 * nonsense.
 * @param known the host that most requests name
 */
export function hostileRequest(
  paths: readonly string[],
  headers: readonly string[] = [],
  known = '127.0.0.1',
): Arbitrary<string> {
  const path = constantFrom(...paths)
  const printable = string({ unit: stringMatching(/^[\x21-\x7e]$/u), maxLength: 12 })
  const byte = rarely(string({ unit: stringMatching(/^[\x21-\xff]$/u), maxLength: 12 }), printable)
  const target = oneof(
    path,
    constantFrom(...ODD_TARGETS),
    record({ path, tail: byte }).map((one) => one.path + one.tail),
    record({ path, tail: constantFrom(...ODD_TAILS) }).map((one) => one.path + one.tail),
    record({
      before: constantFrom('http://', 'HTTPS://a', 'http://[', 'x:', '//', '/.', '\\'),
      path,
      byte,
    }).map((one) => one.before + one.byte + one.path),
    byte,
  )
  const header = oneof(
    constantFrom(...ODD_HEADERS, ...headers),
    rarely(constantFrom(...REFUSED_HEADERS), constantFrom(...ODD_HEADERS, ...headers)),
    record({ name: constantFrom(...NAMES), value: byte }).map(({ name, value }) => `${name}: ${value}`),
  )
  return record({
    method: rarely(constantFrom(...METHODS), constant('GET')),
    target,
    host: rarely(constantFrom(...ODD_HOSTS), constant(known)),
    headers: array(header, { maxLength: 3 }),
    body: rarely(constantFrom('{}', '0\r\n\r\n', 'x'.repeat(2_000)), constant('')),
  }).map(({ method, target: asked, host, headers: sent, body }) =>
    [`${method} ${asked} HTTP/1.1`, `Host: ${host}`, ...sent, 'Connection: close', '', body].join('\r\n'),
  )
}

const ODD_HOSTS = ['localhost:4000', '[::1]', '[::', 'a b', '', 'x/y', 'é', '%', 'a:99999999']
/** Node itself refuses these. */
const REFUSED_HEADERS = [
  'Content-Length: 99999999999999',
  'Content-Length: -1',
  'Expect: x',
  `X: ${'y'.repeat(20_000)}`,
]
const METHODS = [
  'POST',
  'HEAD',
  'PUT',
  'OPTIONS',
  'DELETE',
  'TRACE',
  'PATCH',
  'CONNECT',
  'PRI',
  'M-SEARCH',
  'get',
  '',
]
const ODD_TARGETS = [
  '//',
  '///',
  '*',
  '/\\',
  '//[',
  'http://',
  'http:',
  '/%',
  '/%00',
  '/..//',
  '?',
  '#',
  '/#',
  '//@:',
  '//a:99999/',
  '/;',
  '://',
]
const ODD_TAILS = [
  '?',
  '??',
  '#',
  '/',
  '//',
  '/..',
  '%',
  '%00',
  '?project=%00',
  '?project=%ff',
  '?query=%',
  '?query={',
  '?a[]=',
  '\\',
  '?project=',
  ';a',
]
const NAMES = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'connection',
  'x-correlation-id',
  'traceparent',
  'if-none-match',
  'range',
  'cookie',
  'x',
  'host',
  'te',
  'http2-settings',
  'sec-websocket-key',
]
const ODD_HEADERS = [
  'Accept: text/html',
  'Accept: */*;q=abc',
  'Accept-Encoding: br;q=x, *;q=0',
  'Authorization: Bearer',
  'Authorization: Bearer x\xff',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data; boundary=',
  'Content-Type: text/plain',
  'Content-Type: \xff',
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: x',
  'X-Correlation-Id: \x80\xff',
  `X-Correlation-Id: ${'a'.repeat(500)}`,
  'traceparent: 00-0',
  'If-None-Match: *',
  'If-None-Match: "',
]
