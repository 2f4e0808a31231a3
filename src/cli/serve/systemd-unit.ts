/** What a unit runs, and where its secrets lie. */
export interface UnitParts {
  /** The Node.js that runs it, and gastop's own file: a user's services do not know the shell's PATH. */
  readonly program: readonly string[];
  /** What follows, beginning with the command. */
  readonly argv: readonly string[];
  readonly environmentFile: string;
}

/** A unit of systemd's user manager that keeps `gastop serve` running; see systemd.service(5) and systemd.exec(5). */
export function systemdUnit({ program, argv, environmentFile }: UnitParts): string {
  return `[Unit]
Description=gastop: gas prices over HTTP, and alerts

[Service]
ExecStart=${[...program, ...argv].map(quoted).join(' ')}
# Settings such as GASTOP_RPC, passwords and tokens; a minus: it need not be there. Keep it to yourself (chmod 600).
EnvironmentFile=-${literal(environmentFile)}
Restart=on-failure
RestartSec=5
# Wrong usage waits for a person.
RestartPreventExitStatus=2
# Requests and messages that are under way may end.
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes
# A dump of its memory would hold keys.
LimitCORE=0

[Install]
WantedBy=default.target
`;
}

/** One word of a command line: systemd expands % and $ and reads quotes and backslashes. */
function quoted(word: string): string {
  const text = literal(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text}"`;
}

const literal = (text: string) => text.replaceAll('%', '%%');
