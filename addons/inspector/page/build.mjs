// Bundles the page: one HTML file, for recordings; and for the server its two parts, compressed, in ../page.inc.
// The server's page gets the replica by itself, so that the browser compiles it while it arrives.
//
//   node build.mjs <replica.wasm> <page.html> <page.inc>     in the folder with node_modules
import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const { build } = createRequire(`${process.cwd()}/`)('esbuild');
const own = (name) => new URL(name, import.meta.url).pathname;
const common = { bundle: true, minify: true, write: false, nodePaths: ['node_modules'] };

const [wasm, html, array] = process.argv.slice(2);
const script = await build({
  ...common,
  entryPoints: [own('src/main.jsx')],
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  jsxFactory: 'h',
  jsxFragment: 'Fragment',
});
const early = await build({ ...common, entryPoints: [own('src/early.js')], format: 'iife', target: 'es2022', charset: 'utf8' });
const style = await build({ ...common, entryPoints: [own('src/style.css')] });

// As base64 of compressed bytes: base64 of others does not compress well.
const gzip = (path) => execFileSync('gzip', ['-9nc', path], { maxBuffer: 1 << 28 });

const notice = ['fzstd', 'preact', 'uplot']
  .map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`;
  })
  .concat([readFileSync(own('notice.txt'), 'utf8').trim()])
  .join('\n\n----\n\n')
  .replace(/--+>/g, '');
const code = script.outputFiles[0].text.trim().replace(/<\/script/g, '<\\/script');
const first = early.outputFiles[0].text.trim();
const looks = style.outputFiles[0].text.trim();
const page = `<!doctype html>
<!--
The page of Sett's inspector. SPDX-License-Identifier: MIT
It contains, under their licences:

${notice}
-->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sett inspector</title>
<link rel="icon" href="data:,">
<style>${looks}</style>
</head>
<body>
<div id="page"></div>
<script>${first}</script>
<script>${code}</script>
`;
const hash = (text) => createHash('sha256').update(text).digest('base64');
writeFileSync(html, page);
const parts = { page_bytes: gzip(html), page_replica: gzip(wasm) };
writeFileSync(html, `${page}<script id="replica" type="application/wasm;base64">${parts.page_replica.toString('base64')}</script>\n`);

let arrays = '';
for (const [name, bytes] of Object.entries(parts)) {
  arrays += `static const unsigned char ${name}[] = {\n`;
  for (let line = '', k = 0; k <= bytes.length; k++) {
    const word = k < bytes.length ? `${bytes[k]},` : '';
    if (line.length + word.length > 96 || k === bytes.length) {
      arrays += `    ${line}\n`;
      line = '';
    }
    line += word;
  }
  arrays += '};\n';
}
writeFileSync(array, `/* page.inc: the page and its replica, each compressed by gzip, and the hashes of its scripts and style for
 * the policy, each with a blank before it. Written by \`make page\`; do not edit. */
#define PAGE_SCRIPT " 'sha256-${hash(first)}' 'sha256-${hash(code)}'"
#define PAGE_STYLE " 'sha256-${hash(looks)}'"
${arrays}`);
console.log(`page: ${parts.page_bytes.length} and ${parts.page_replica.length} bytes compressed`);
