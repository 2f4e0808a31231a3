import { type GasClientOptions, transportOf } from '../../client/client.ts';
import type { ServiceFinding } from '../../client/doctor.ts';
import { type Verdict, verdictOf } from '../../client/doctor.ts';
import { inspectConnection } from '../../client/probe/connection.ts';
import { probeService } from '../../client/probe/probe-service.ts';
import { toAscii } from '../ascii.ts';
import type { CommandContext } from '../command-context.ts';
import { doctorJson } from '../doctor/doctor-json.ts';
import { doctorText } from '../doctor/doctor-text.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openClient } from '../open-client.ts';
import { openReady } from '../open-ready.ts';
import { READY_WITHIN_MS } from '../ready-snapshot.ts';
import type { Settings } from '../settings.ts';
import { withSpinner } from '../spinner.ts';
import { wantsColour } from '../wants-colour.ts';
import { warnOfPlainKey } from '../warn-of-plain-key.ts';

export interface DoctorFlags {
  readonly json?: boolean;
}

const EXIT_BY_RESULT: Readonly<Record<Verdict['result'], ExitCode>> = {
  usable: EXIT.ok,
  'not-usable': EXIT.failed,
  unreachable: EXIT.unreachable,
  key: EXIT.key,
  quota: EXIT.quota,
};

/** Each step of the way to the service. */
const CONNECT_WITHIN_MS = 5_000;
const HISTORY_SEC = 3_600;

/** `gastop doctor` */
export async function doctor({ io, loadSettings }: CommandContext, flags: DoctorFlags): Promise<ExitCode> {
  const { settings } = await loadSettings();
  const opened = await open(io, settings);
  try {
    const finding = await probe(io, opened);
    const verdict = verdictOf(finding, io.now());
    const exitCode = EXIT_BY_RESULT[verdict.result];
    const subject = {
      name: opened.name,
      origin: opened.embedded === null ? new URL(opened.reach.baseUrl).origin : null,
      withKey: (opened.reach.apiKey ?? null) !== null,
    };
    if (flags.json) {
      io.stdout.write(`${doctorJson(subject, finding, verdict, exitCode)}\n`);
      return exitCode;
    }
    const colour = wantsColour(io);
    const text = doctorText(subject, finding, verdict, { colour, now: io.now() });
    io.stdout.write(`${settings.ascii.value ? toAscii(text) : text}\n`);
    return exitCode;
  } finally {
    await opened.close();
  }
}

/** A service elsewhere is looked at as it is; one in this process gets the time to take in its first block. */
async function open(io: Io, settings: Settings): Promise<OpenedClient> {
  if (settings.source.value.kind !== 'hosted') {
    return (await openReady(io, settings, HISTORY_SEC, 'accept')).opened;
  }
  warnOfPlainKey(io, settings.source.value);
  return openClient(io, settings, {
    historySec: HISTORY_SEC,
    withinMs: READY_WITHIN_MS,
    pace: 'fastest',
    signal: io.interruption(),
  });
}

async function probe(io: Io, { client, reach, embedded, name }: OpenedClient): Promise<ServiceFinding> {
  const signal = io.interruption();
  let doing = `looking at the way to ${name}`;
  return withSpinner(
    io,
    () => doing,
    async () => {
      const connection =
        embedded === null
          ? await inspectConnection(urlOf(reach), { timeoutMs: CONNECT_WITHIN_MS, signal })
          : null;
      return probeService({
        transport: transportOf(reach),
        client,
        connection,
        now: io.now,
        signal,
        onQuestion: (path) => {
          doing = `asking ${path}`;
        },
      });
    },
  );
}

function urlOf({ baseUrl }: GasClientOptions): URL {
  return new URL(baseUrl);
}
