import type { EngineView } from '../../../client/views/dashboard.ts';
import { formatAge } from '../../../core/units.ts';

/** When alerts fire, and which process sees to it; `null`: the service does not tell. */
export function engineWords(engine: EngineView | null, isOwnService: boolean, now: number): string | null {
  if (engine === null && !isOwnService) return null;
  const rule = isOwnService
    ? 'they fire while gastop or gastop serve runs'
    : 'they fire while the service runs';
  const holder = engine === null ? null : holderWords(engine, isOwnService, now);
  return holder === null ? rule : `${rule}; ${holder}`;
}

function holderWords({ process, isHere, since, heartbeatAt }: EngineView, isOwn: boolean, now: number) {
  if (isHere === true && isOwn) return 'this window sees to it now';
  if (process === null) return null;
  if (isHere === true) return `${process} sees to it${ageText(since, 'since', now)}`;
  return `${process} sees to it${ageText(heartbeatAt, 'heard', now)}`;
}

function ageText(at: number | null, word: string, now: number): string {
  return at === null ? '' : `, ${word} ${formatAge((now - at) / 1_000)}`;
}
