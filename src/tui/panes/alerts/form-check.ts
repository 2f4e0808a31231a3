import type { AlertChoices } from '../../../client/openapi.ts';
import type { NewAlert } from '../../../client/views/alerts.ts';
import type { CheckedAlert } from '../../../contract/check-alert.ts';
import { parseCooldown } from '../../../core/alerts/cooldown-text.ts';
import type { AlertDraft } from './alert-draft.ts';
import { type FieldId, targetText } from './form-fields.ts';

/** What is wrong with each field, in words that go after its name; `''`: what belongs to none. */
export type FieldProblems = ReadonlyMap<FieldId | '', string>;

/** The body to send, as far as the draft can be read. */
export type DraftBody = Omit<NewAlert, 'thresholdGwei'> & { readonly thresholdGwei?: number };

export function bodyOf(draft: AlertDraft): DraftBody {
  const { channels } = draft;
  const cooldownMs = parseCooldown(draft.cooldown);
  const target = (channel: string) => targetText(draft, channel).trim();
  // The first that has a target: TERMINAL needs none.
  const method = channels.find((channel) => target(channel) !== '') ?? channels[0];
  const further = channels
    .filter((channel) => channel !== method && target(channel) !== '')
    .map((channel) => [channel, target(channel)] as const);
  return {
    ...number('thresholdGwei', draft.threshold),
    gasSpeed: draft.gasSpeed,
    condition: draft.condition,
    ...(cooldownMs === null ? {} : { cooldownMs }),
    disableOnce: draft.once,
    ...(method === undefined ? {} : { method, to: method === 'TERMINAL' ? '' : target(method) }),
    channels,
    ...(further.length === 0 ? {} : { targets: Object.fromEntries(further) }),
    note: draft.note,
    ...number('hysteresisGwei', draft.hysteresis),
    ...number('confirmBlocks', draft.confirmBlocks),
  };
}

const NUMBER = /^\d{1,16}(\.\d*)?$|^\.\d+$/;

function number<Name extends string>(name: Name, text: string): { readonly [key in Name]?: number } {
  const bare = text.trim();
  return NUMBER.test(bare) ? ({ [name]: Number(bare) } as { readonly [key in Name]?: number }) : {};
}

/** What is to be entered where nothing stands. */
const WANTED = {
  threshold: 'needs a price in gwei, such as 0.04',
  hysteresis: 'needs a distance in gwei, such as 0.005, or 0 for none',
  confirmBlocks: 'needs a number of blocks, such as 3; 1 is the least',
} as const;

/** What cannot even be read; a default must not take its place unseen. */
function unreadable(draft: AlertDraft): Map<FieldId | '', string> {
  const problems = new Map<FieldId | '', string>();
  for (const id of ['threshold', 'hysteresis', 'confirmBlocks'] as const) {
    const text = draft[id].trim();
    if (text === '') problems.set(id, WANTED[id]);
    else if (!NUMBER.test(text))
      problems.set(id, `must be a number such as ${id === 'confirmBlocks' ? '3' : '0.04'}`);
  }
  if (parseCooldown(draft.cooldown) === null)
    problems.set('cooldown', 'must be a time such as 30m, 1h, 1d or 0');
  return problems;
}

/** What the contract has against a draft, field by field. A service's own words for speeds and channels are its own matter. */
export function problemsOf(
  draft: AlertDraft,
  body: DraftBody,
  checked: CheckedAlert,
  offered: AlertChoices,
): FieldProblems {
  const problems = unreadable(draft);
  const isOffered = (path: string) => {
    const [name, place] = path.split('.');
    if (name === 'gasSpeed') return offered.gasSpeeds.includes(draft.gasSpeed);
    if (name === 'channels' && place !== undefined)
      return offered.channels.includes(draft.channels[Number(place)] ?? '');
    if (name === 'condition') return offered.conditions.includes(draft.condition);
    if (name === 'method') return offered.channels.includes(body.method ?? '');
    return name === 'targets' && offered.channels.includes(place ?? '');
  };
  for (const { path, message } of checked.ok ? [] : checked.problems) {
    const isWord = /^must be one of |^is not a field|^Invalid key/.test(message);
    if (isWord && isOffered(path)) continue;
    const field = fieldOfPath(path, body.method ?? '');
    if (!problems.has(field)) problems.set(field, message);
  }
  return problems;
}

/** The field that a path of the body is typed in. */
export function fieldOfPath(path: string, method: string): FieldId | '' {
  const [name = '', rest = ''] = path.replace(/^\//, '').split(/[./[]/);
  switch (name) {
    case 'thresholdGwei':
      return 'threshold';
    case 'gasSpeed':
    case 'condition':
    case 'note':
    case 'confirmBlocks':
      return name;
    case 'channels':
    case 'method':
      return 'channels';
    case 'to':
      return method === '' ? 'channels' : `to:${method}`;
    case 'targets':
      return `to:${rest}`;
    case 'cooldownMs':
      return 'cooldown';
    case 'disableOnce':
      return 'once';
    case 'hysteresisGwei':
      return 'hysteresis';
    default:
      return '';
  }
}
