// The reference's forms: a request is put together of a form's fields and sent; what comes back is shown below it.
'use strict';

const key = document.getElementById('key');
const server = document.getElementById('server');
if (!server.value) server.value = location.origin;

function fieldsOf(form, place) {
    return [...form.querySelectorAll(`[data-in="${place}"]`)].filter(field => field.value !== '');
}

// Several values of a parameter stand in lines of their own.
function addressOf(form) {
    let path = form.dataset.path;
    for (const field of fieldsOf(form, 'path')) path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    const query = new URLSearchParams();
    for (const field of fieldsOf(form, 'query')) {
        for (const value of field.dataset.several ? field.value.split('\n') : [field.value]) {
            if (value !== '') query.append(field.name, value.trim());
        }
    }
    const text = query.toString();
    return server.value.replace(/\/$/, '') + path + (text ? `?${text}` : '');
}

function pretty(text) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

async function send(form) {
    const output = form.nextElementSibling;
    const options = { method: form.dataset.method, headers: {} };
    if (key.value) options.headers.Authorization = `Bearer ${key.value}`;
    const accept = form.querySelector('[data-in="accept"]');
    if (accept) options.headers.Accept = accept.value;
    const body = form.querySelector('[data-in="body"]');
    if (body) {
        options.headers['Content-Type'] = 'application/json';
        options.body = body.value;
    }
    output.hidden = false;
    output.textContent = 'Waiting…';
    try {
        const response = await fetch(addressOf(form), options);
        const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
        output.textContent = `${response.status} ${response.statusText}\n${headers}\n\n${pretty(await response.text())}`;
    } catch (error) {
        output.textContent = `The request did not get through: ${error.message}`;
    }
}

for (const form of document.querySelectorAll('form[data-path]')) {
    form.addEventListener('submit', event => {
        event.preventDefault();
        send(form);
    });
}

// A link to an operation opens it.
function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) {
        target.open = true;
        target.scrollIntoView();
    }
}
addEventListener('hashchange', openTarget);
openTarget();
