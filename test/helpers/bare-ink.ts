import { Box, render, Text, useApp, useInput, usePaste } from 'ink';
import { createElement as h, useEffect, useState } from 'react';

/** The smallest Ink program with all that a monitor has: the yardstick of the benches. Argument: ms between redraws. */
const pace = Number(process.argv[2] ?? '0');

function Bare() {
  const { exit } = useApp();
  const [ticks, setTicks] = useState(0);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    if (pace === 0) return;
    const timer = setInterval(() => setTicks((count) => count + 1), pace);
    return () => clearInterval(timer);
  }, []);
  useInput((input, key) => {
    if (input === 'q') exit();
    else if (key.upArrow) setTyped((text) => `${text}<up>`);
    else if (key.escape) setTyped((text) => `${text}<esc>`);
    else setTyped((text) => (text + input).slice(-20));
  });
  usePaste((text) => setTyped(`pasted ${JSON.stringify(text)}`));
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, null, `hello tick ${ticks}`),
    h(Text, { dimColor: true }, `typed: ${typed}`),
    h(Text, { color: 'green' }, `size ${process.stdout.columns}×${process.stdout.rows}`),
    h(Text, null, `CI=${process.env.CI ?? 'unset'} HOME=${process.env.HOME ?? ''}`),
  );
}

render(h(Bare), { alternateScreen: true, incrementalRendering: true, maxFps: 60 });
