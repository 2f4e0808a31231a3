import type { Command } from 'commander';
import { inspectConnection } from '../../client/connection.ts';
import { probeService, type ServiceFinding, type Verdict, verdictOf } from '../../client/doctor.ts';
import { Http } from '../../client/http.ts';
import { channelsOf, setUpLines } from '../../service/alerts/target-rules.ts';
import type { CommandContext, Run } from '../context.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { examples } from '../help.ts';
import type { Io } from '../io.ts';
import { type OpenedClient, openSource } from '../open-source.ts';
import { wantsColour, withSpinner } from '../output.ts';
import { deliveryOf } from '../settings.ts';
import { doctorText } from '../text/doctor.ts';
import { type JsonFlags, print } from './resource.ts';

/** Asks every read route. */
export function addDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .summary('check a service, route by route')
    .description('Requests every read route of the service and says what was understood and what is missing.')
    .option('--json', 'all of it for programs; docs/COMMANDS.md lists the fields')
    .addHelpText(
      'after',
      `${examples(['gastop doctor --url https://gas.example.org', 'gastop doctor --json | jq .warnings'])}

Exit codes
  0 usable   1 its prices cannot be understood   3 unreachable
  4 key missing or refused   5 quota used up`,
    )
    .action((flags: JsonFlags) => run((context) => doctor(context, flags)));
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

/** `gastop doctor` */
async function doctor(context: CommandContext, flags: JsonFlags): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  // A service elsewhere is looked at as it is; one in this process gets the time to take in its first block.
  const { opened } = await openSource(io, settings);
  try {
    const finding = await probe(io, opened);
    const verdict = verdictOf(finding, io.now());
    const exitCode = EXIT_BY_RESULT[verdict.result];
    const subject = {
      name: opened.name,
      origin: opened.embedded === null ? new URL(opened.reach.baseUrl).origin : null,
      withKey: (opened.reach.apiKey ?? null) !== null,
      missingChannels:
        opened.embedded === null || settings.source.value.kind === 'simulated'
          ? []
          : setUpLines(channelsOf(deliveryOf(settings))),
    };
    if (flags.json) {
      io.stdout.write(`${doctorJson(subject, finding, verdict, exitCode)}\n`);
      return exitCode;
    }
    const colour = wantsColour(io);
    print(context, settings, doctorText(subject, finding, verdict, { colour, now: io.now() }));
    return exitCode;
  } finally {
    await opened.close();
  }
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
          ? await inspectConnection(new URL(reach.baseUrl), { timeoutMs: CONNECT_WITHIN_MS, signal })
          : null;
      return probeService({
        http: new Http(reach),
        client,
        connection,
        now: io.now,
        signal,
        onRequest: (path) => {
          doing = `asking ${path}`;
        },
      });
    },
  );
}

/** The doctor's whole finding as one JSON object; docs/COMMANDS.md says what stands where. */
function doctorJson(
  subject: DoctorSubject,
  finding: ServiceFinding,
  verdict: Verdict,
  exitCode: ExitCode,
): string {
  const { result, message, warnings } = verdict;
  const whole = {
    service: subject,
    usable: result === 'usable',
    verdict: result,
    ...{ exitCode, message, warnings },
    ...finding,
  };
  return JSON.stringify(whole, jsonValue, 2);
}

/** Times of a certificate and of the quota as ISO 8601, measured figures in short. */
function jsonValue(name: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return /^valid|At$/.test(name) ? new Date(value).toISOString() : Math.round(value * 100) / 100;
}

/** What the doctor looked at. */
export interface DoctorSubject {
  /** For people: `gas.example.org`, `seed 1`. */
  readonly name: string;
  /** Scheme, host and port; `null`: a service in this process. */
  readonly origin: string | null;
  /** A key was sent; which one is told nowhere. */
  readonly withKey: boolean;
  /** Channels of alerts that are not set up for the service in this process, and what to set. */
  readonly missingChannels: readonly string[];
}
