// The documentation and the API in headless Chromium: axe's rules, the keyboard, a narrow screen, a request of the reference, and a
// page of another origin. Prints what was found as JSON.
//     node browser.mjs CHROMIUM DOCS_URL API_URL KEY OTHER_ORIGIN PAGES.json
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const [chromium, docs, api, key, other, list] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const seen = { violations: {}, wide: [], outside: [], errors: [] };

async function open(url, width) {
    const page = await browser.newPage();
    await page.setViewport({ width, height: 800 });
    page.on('console', message => { if (message.type() === 'error') seen.errors.push(`${url}: ${message.text()}`); });
    page.on('request', request => { if (new URL(request.url()).origin !== new URL(url).origin) seen.outside.push(request.url()); });
    await page.goto(url, { waitUntil: 'load' });
    return page;
}

// What axe finds on a page as it is, with all that can be unfolded unfolded.
async function violations(page) {
    await page.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    return result.violations.map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(' | ')}`);
}

// Every page on a narrow screen; those of another form on a wide one, too.
for (const name of JSON.parse(readFileSync(list))) {
    const narrow = await open(`${docs}/${name}`, 360);
    const found = await violations(narrow);
    if (await narrow.evaluate(() => document.scrollingElement.scrollWidth > 360)) seen.wide.push(name);
    await narrow.close();
    seen.violations[name] = found;
}
for (const name of ['index.html', 'client.html', 'reference.html', 'errors/not-found/']) {
    const wide = await open(`${docs}/${name}`, 1200);
    seen.violations[`${name} at 1200`] = await violations(wide);
    await wide.close();
}

// By the keyboard alone: to an operation, its form filled and sent. Each field is reached by Tab, and shows that it is.
const page = await open(`${docs}/reference.html`, 360);
seen.unmarked = [];
async function tabTo(selector) {
    for (let presses = 0; presses < 400; presses++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(wanted => {
            const active = document.activeElement;
            return { there: active.matches(wanted), marked: getComputedStyle(active).outlineStyle !== 'none', what: active.outerHTML.slice(0, 80) };
        }, selector);
        if (!at.marked) seen.unmarked.push(at.what);
        if (at.there) return;
    }
    throw new Error(`${selector} is not reached by the keyboard`);
}
await tabTo('a.skip');
await page.keyboard.press('Enter');
await tabTo('#key');
await page.keyboard.type(key);
await tabTo('#list_insider > summary');
await page.keyboard.press('Enter');
await tabTo('#list_insider input[name="limit"]');
await page.keyboard.type('1');
await tabTo('#list_insider button');
await page.keyboard.press('Enter');
await page.waitForFunction(() => /^\d{3} /.test(document.querySelector('#list_insider > pre').textContent), { timeout: 20000 });
seen.answer = await page.evaluate(() => document.querySelector('#list_insider > pre').textContent.slice(0, 400));
seen.violations['reference.html with a response'] = await violations(page);
seen.linked = await (await open(`${docs}/reference.html#get_company`, 1200)).evaluate(() => document.getElementById('get_company').open);
const errors = seen.errors.splice(0);

// A page of another origin.
const foreign = await open(other, 1200);
seen.cors = await foreign.evaluate(async (api, key) => {
    const response = await fetch(`${api}/v1/insider?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
    const again = await fetch(`${api}/v1/insider?limit=1`, { headers: { Authorization: `Bearer ${key}`, 'If-None-Match': response.headers.get('ETag') }, cache: 'no-store' });
    const refused = await fetch(`${api}/v1/insider`, { headers: { Authorization: 'Bearer nobody' } });
    return { status: response.status, rows: (await response.json()).data.length, remaining: response.headers.get('X-RateLimit-Remaining'),
        id: response.headers.get('X-Request-Id'), link: response.headers.get('Link'), again: again.status, refused: refused.status, type: (await refused.json()).type };
}, api, key).catch(error => String(error));
seen.errors = errors;
await browser.close();
seen.outside = seen.outside.filter(url => !url.startsWith(`${api}/v1/`)); // once nothing is told any more
console.log(JSON.stringify(seen));
