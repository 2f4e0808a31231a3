import { Box, Text } from 'ink';
import { createContext, memo, useCallback, useContext, useEffect, useState } from 'react';
import { KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { displayWidth, truncate } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';

interface FooterKey {
  readonly key: string;
  readonly word: string;
}

/**
 * The keys worth a reminder, in `scopes` (nearest first), as many as fit into `width`: help, then what belongs to the
 * pane, then what is everywhere, and quit. A key that a nearer scope takes is not named twice.
 */
export function footerKeys(scopes: readonly Scope[], width: number): readonly FooterKey[] {
  const all: readonly KeyBinding[] = KEYMAP;
  const shown = all
    .filter(({ footer, scope }) => footer !== undefined && scopes.includes(scope))
    .filter((binding) => !isShadowed(binding, all, scopes))
    .sort((one, other) => place(one, scopes) - place(other, scopes));
  const kept = new Set<KeyBinding>();
  let used = 0;
  for (const binding of [...shown].sort((one, other) => weight(one, scopes) - weight(other, scopes))) {
    used += displayWidth(keyOf(binding)) + displayWidth(binding.footer ?? '') + 3;
    if (used <= width) kept.add(binding);
  }
  return shown
    .filter((binding) => kept.has(binding))
    .map((binding) => ({ key: keyOf(binding), word: binding.footer ?? '' }));
}

function keyOf({ footerLabel, label }: KeyBinding): string {
  return footerLabel ?? label;
}

function isShadowed(
  { scope, keys }: KeyBinding,
  all: readonly KeyBinding[],
  scopes: readonly Scope[],
): boolean {
  const nearer = scopes.slice(0, scopes.indexOf(scope));
  return all.some((other) => nearer.includes(other.scope) && keys.every((key) => other.keys.includes(key)));
}

/** Help and quit must stay whatever is left out. */
function weight(binding: KeyBinding, scopes: readonly Scope[]): number {
  return isFixed(binding) ? -1 : scopes.indexOf(binding.scope);
}

function place(binding: KeyBinding, scopes: readonly Scope[]): number {
  if (!isFixed(binding)) return scopes.indexOf(binding.scope);
  return binding.action === 'help' ? -1 : scopes.length;
}

function isFixed({ action }: KeyBinding): boolean {
  return action === 'help' || action === 'quit';
}

interface FooterProps {
  readonly width: number;
  readonly scopes: readonly Scope[];
  readonly toast: Toast | null;
}

/** The last line: what just happened, or else what the keys do. */
export const Footer = memo(function Footer({ width, scopes, toast }: FooterProps) {
  const theme = useTheme();
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      {toast === null ? (
        <Text wrap="truncate">
          {footerKeys(scopes, width).map(({ key, word }) => (
            <Text key={key}>
              {' '}
              <Text bold>{theme.text(key)}</Text>
              <Text dimColor>{` ${theme.text(word)} `}</Text>
            </Text>
          ))}
        </Text>
      ) : (
        <ToastText toast={toast} width={width} />
      )}
    </Box>
  );
});

function ToastText({ toast, width }: { readonly toast: Toast; readonly width: number }) {
  const theme = useTheme();
  const text = truncate(theme.text(toast.text), width - 4, theme.glyph.ellipsis);
  if (toast.kind === 'alert') {
    return <Text wrap="truncate" bold color={theme.color('warn')}>{` ${theme.glyph.marker} ${text}`}</Text>;
  }
  return toast.kind === 'error' ? (
    <Text wrap="truncate" bold color={theme.color('bad')}>{` ${theme.glyph.warning} ${text}`}</Text>
  ) : (
    <Text wrap="truncate">{` ${theme.glyph.arrow} ${text}`}</Text>
  );
}

export interface Toast {
  /** `alert`: something fired that the user waits for. */
  readonly kind: 'info' | 'error' | 'alert';
  /** One short line; what does not fit is cut. */
  readonly text: string;
  /** How long it stays, ms; default: 2 s, an error 4 s, an alert 12 s. */
  readonly forMs?: number;
}

type ShowToast = (toast: Toast) => void;

const SHOWN_MS: Readonly<Record<Toast['kind'], number>> = { info: 2_000, error: 4_000, alert: 12_000 };

export const ToastContext = createContext<ShowToast>(() => {});

/**
 * `toast({ kind, text })` shows one line for a while; a newer one replaces the older. An alert comes back after what
 * was shown over it.
 */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** For the app's frame, which draws the toast: the one to show now, and what to hand to {@link ToastContext}. */
export function useToastHost(): { readonly toast: Toast | null; readonly show: ShowToast } {
  const [alert, showAlert] = useFadingToast();
  const [other, showOther] = useFadingToast();
  const show = useCallback<ShowToast>(
    (next) => {
      if (next.kind === 'alert') showOther(null);
      (next.kind === 'alert' ? showAlert : showOther)(next);
    },
    [showAlert, showOther],
  );
  return { toast: other ?? alert, show };
}

function useFadingToast(): readonly [Toast | null, (toast: Toast | null) => void] {
  const [toast, setToast] = useState<Toast | null>(null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), toast.forMs ?? SHOWN_MS[toast.kind]);
    return () => clearTimeout(timer);
  }, [toast]);
  // A copy, so that the same words shown again start their time again.
  const show = useCallback((next: Toast | null) => setToast(next && { ...next }), []);
  return [toast, show];
}
