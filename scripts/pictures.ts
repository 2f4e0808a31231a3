/**
 * Takes the pictures of docs/pictures anew: the built program in a real terminal, its screen as SVG, light and dark.
 * Run it after a change to what the monitor shows: `npm run pictures`, or with the names of those that are wanted.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { PALETTES, type ThemeName } from './pictures/palette.ts';
import { type PictureName, TITLES, takePictures } from './pictures/scenes.ts';
import { screenSvg } from './pictures/screen-svg.ts';

const FOLDER = new URL('../docs/pictures/', import.meta.url);
const THEMES = Object.keys(PALETTES) as ThemeName[];

const wanted = process.argv.slice(2);
await mkdir(FOLDER, { recursive: true });
for (const [name, screen] of Object.entries(await takePictures())) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const theme of THEMES) {
    const svg = screenSvg(screen, PALETTES[theme], TITLES[name as PictureName]);
    await writeFile(new URL(`${name}-${theme}.svg`, FOLDER), svg);
  }
  console.log(`docs/pictures/${name}-{${THEMES.join(',')}}.svg`);
}
