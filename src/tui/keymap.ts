import { ALERT_FORM_KEYS } from './keymap/alert-form-keys.ts';
import { ALERT_KEYS } from './keymap/alert-keys.ts';
import { ALERTS_KEYS } from './keymap/alerts-keys.ts';
import { AUTO_TX_FORM_KEYS } from './keymap/auto-tx-form-keys.ts';
import { AUTO_TX_KEYS } from './keymap/auto-tx-keys.ts';
import { AUTO_TXS_KEYS } from './keymap/auto-txs-keys.ts';
import { CHART_KEYS } from './keymap/chart-keys.ts';
import { EXPLORER_KEYS } from './keymap/explorer-keys.ts';
import { GLOBAL_KEYS } from './keymap/global-keys.ts';
import type { KeyBinding, Scope } from './keymap/key-binding.ts';
import { LIVE_KEYS } from './keymap/live-keys.ts';
import { QUESTION_KEYS } from './keymap/question-keys.ts';
import { SCROLL_KEYS } from './keymap/scroll-keys.ts';
import { SECRET_KEYS } from './keymap/secret-keys.ts';
import { SERVICE_KEYS } from './keymap/service-keys.ts';
import { SOURCE_KEYS } from './keymap/source-keys.ts';

/**
 * Every key the monitor knows. This table drives dispatch, the footer, the `?` overlay and docs/MONITOR.md, so a
 * key that is not here does not exist.
 */
export const KEYMAP = [
  ...GLOBAL_KEYS,
  ...SCROLL_KEYS,
  ...SOURCE_KEYS,
  ...LIVE_KEYS,
  ...CHART_KEYS,
  ...ALERTS_KEYS,
  ...ALERT_KEYS,
  ...ALERT_FORM_KEYS,
  ...AUTO_TXS_KEYS,
  ...AUTO_TX_KEYS,
  ...AUTO_TX_FORM_KEYS,
  ...QUESTION_KEYS,
  ...SECRET_KEYS,
  ...EXPLORER_KEYS,
  ...SERVICE_KEYS,
] as const satisfies readonly KeyBinding[];

export type ActionName = (typeof KEYMAP)[number]['action'];

/** The actions that `key` stands for in `scope`. */
export function actionsOf(scope: Scope, key: string): readonly ActionName[] {
  return KEYMAP.filter(
    (binding) => binding.scope === scope && (binding.keys as readonly string[]).includes(key),
  ).map((binding) => binding.action);
}
