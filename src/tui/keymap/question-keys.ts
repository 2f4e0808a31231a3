import type { KeyBinding } from './key-binding.ts';

export const QUESTION_KEYS = [
  {
    action: 'answer-other',
    scope: 'question',
    keys: ['left', 'right', 'up', 'down', 'tab', 'shift+tab', 'h', 'l'],
    label: '← →',
    help: 'the other answer',
    footer: 'choose',
    footerLabel: '←/→',
  },
  {
    action: 'answer-marked',
    scope: 'question',
    keys: ['return'],
    label: '⏎',
    help: 'the marked answer',
    footer: 'take it',
  },
  { action: 'answer-yes', scope: 'question', keys: ['y', 'Y'], label: 'y', help: 'yes', footer: 'yes' },
  {
    action: 'answer-no',
    scope: 'question',
    keys: ['n', 'N', 'escape', 'q'],
    label: 'n Esc',
    help: 'no',
    footer: 'no',
    footerLabel: 'n',
  },
] as const satisfies readonly KeyBinding[];
