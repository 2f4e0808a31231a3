/**
 * Takes the pictures of docs/pictures anew: the built program in a real terminal, its screen as SVG, light and dark.
 * Run it after a change to what the monitor shows: `npm run pictures`, or with the names of those that are wanted.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { FILM_TITLE, takeFilm } from './pictures/film.ts';
import { filmSvg } from './pictures/film-svg.ts';
import { PALETTES, type Palette, type ThemeName } from './pictures/palette.ts';
import { type PictureName, TITLES, takePictures } from './pictures/scenes.ts';
import { screenSvg } from './pictures/screen-svg.ts';

const FOLDER = new URL('../docs/pictures/', import.meta.url);
const THEMES = Object.keys(PALETTES) as ThemeName[];
const FILM = 'demo';

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

async function write(name: string, draw: (palette: Palette) => string): Promise<void> {
  for (const theme of THEMES) await writeFile(new URL(`${name}-${theme}.svg`, FOLDER), draw(PALETTES[theme]));
  console.log(`docs/pictures/${name}-{${THEMES.join(',')}}.svg`);
}

await mkdir(FOLDER, { recursive: true });
if (isWanted(FILM)) {
  const frames = await takeFilm();
  await write(FILM, (palette) => filmSvg(frames, palette, FILM_TITLE));
}
if (Object.keys(TITLES).some(isWanted)) {
  for (const [name, screen] of Object.entries(await takePictures()))
    if (isWanted(name))
      await write(name, (palette) => screenSvg(screen, palette, TITLES[name as PictureName]));
}
