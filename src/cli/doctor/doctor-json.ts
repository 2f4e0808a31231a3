import type { ServiceFinding, Verdict } from '../../client/doctor.ts';
import type { ConnectionFinding, Step } from '../../client/probe/connection.ts';
import type { ExitCode } from '../exit-code.ts';
import type { DoctorSubject } from './doctor-subject.ts';

/** The doctor's whole finding as one JSON object; docs/COMMANDS.md says what stands where. */
export function doctorJson(
  subject: DoctorSubject,
  finding: ServiceFinding,
  verdict: Verdict,
  exitCode: ExitCode,
): string {
  const { connection, clock, ...rest } = finding;
  const whole = {
    service: subject,
    usable: verdict.result === 'usable',
    verdict: verdict.result,
    exitCode,
    message: verdict.message,
    warnings: verdict.warnings,
    connection: connection === null ? null : connectionJson(connection),
    clock:
      clock === null ? null : { skewSec: round(clock.skewSec), uncertaintySec: round(clock.uncertaintySec) },
    ...rest,
    headAgeSec: finding.headAgeSec === null ? null : round(finding.headAgeSec),
    routes: finding.routes.map((route) => ({
      ...route,
      latencyMs: route.latencyMs === null ? null : round(route.latencyMs),
    })),
  };
  return JSON.stringify(whole, null, 2);
}

function connectionJson({ dns, tcp, tls, encrypted }: ConnectionFinding): object {
  return {
    encrypted,
    dns: dns === null ? null : stepJson(dns),
    tcp: tcp === null ? null : stepJson(tcp),
    tls:
      tls === null
        ? null
        : tls.ok
          ? { ...stepJson(tls), validFrom: isoOf(tls.validFrom), validUntil: isoOf(tls.validUntil) }
          : tls,
  };
}

function stepJson<Found>(step: Step<Found>): object {
  return step.ok ? { ...step, ms: round(step.ms) } : step;
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
