import type { Duplex } from 'node:stream'
import { answerRaw } from './raw-answer.ts'

interface Answer {
  readonly status: number
  readonly code: string
  readonly message: string
}

const BAD: Answer = { status: 400, code: 'BAD_REQUEST', message: 'This is not a request of HTTP/1.1' }

/** What Node's parser found, and what the client gets for it. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message:
      'The request did not arrive in time: its head has DAYBOOK_HEADERS_TIMEOUT, all of it DAYBOOK_REQUEST_TIMEOUT',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The headers are too large: the limit is 16 KiB',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { ...BAD, status: 413, message: 'The extensions of a chunk are too large' },
}

/**
 * Answers a request that Node could not read or that came too slowly. Node's own answer has no body, so a client would not
 * learn which limit it met.
 * @param isAnswering whether an answer to an earlier request is still to be sent on the socket
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (error.code === 'ECONNRESET' || isAnswering) return void socket.destroy()
  const { status, code, message } = ANSWERS[error.code ?? ''] ?? BAD
  answerRaw(socket, status, { errors: [{ message, extensions: { code, retryable: false } }] })
}
