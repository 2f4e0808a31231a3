import apiDocument from './api-document.js?raw';
import dom from './dom.js?raw';
import icon from './icon.svg?raw';
import jsonView from './json-view.js?raw';
import stylesheet from './page.css?raw';
import page from './page.html?raw';
import script from './page.js?raw';
import request from './request.js?raw';
import routeCard from './route-card.js?raw';
import schemaView from './schema-view.js?raw';
import tryIt from './try-it.js?raw';

export interface Asset {
  readonly text: string;
  readonly type: string;
}

export const PAGE: Asset = { text: page, type: 'text/html; charset=utf-8' };

const javascript = (text: string): Asset => ({ text, type: 'text/javascript; charset=utf-8' });

export const FILES: ReadonlyMap<string, Asset> = new Map([
  ['page.css', { text: stylesheet, type: 'text/css; charset=utf-8' }],
  ['icon.svg', { text: icon, type: 'image/svg+xml' }],
  ['page.js', javascript(script)],
  ['api-document.js', javascript(apiDocument)],
  ['dom.js', javascript(dom)],
  ['json-view.js', javascript(jsonView)],
  ['request.js', javascript(request)],
  ['route-card.js', javascript(routeCard)],
  ['schema-view.js', javascript(schemaView)],
  ['try-it.js', javascript(tryIt)],
]);
