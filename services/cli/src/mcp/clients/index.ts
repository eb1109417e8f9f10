import { claudeCode } from './claude-code.ts'
import { claudeDesktop } from './claude-desktop.ts'
import type { McpClient } from './client.ts'
import { cline, clineCli } from './cline.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import { zed } from './zed.ts'

/** The clients that `daybook mcp install` knows. A new one is a file beside this and a line here. */
export const MCP_CLIENTS: readonly McpClient[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  gemini,
  windsurf,
  zed,
  cline,
  clineCli,
]
