import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { at, type Json, numberAt, textAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, type Gardener, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

/** The stored program with a name; undefined if there is none. */
async function programNamed({ call }: Gardener, name: string): Promise<Json | undefined> {
  const programs = await call('GET', '/api/sequences');
  return Array.isArray(programs) ? programs.find((each) => textAt(each, 'name') === name) : undefined;
}

/** A kind of steps in the list of kinds to add. */
const kind = (page: Page, name: string): Locator =>
  page.getByRole('complementary', { name: 'Add a step' }).getByRole('row', { name, exact: true });

/** The rows of the program's steps. */
const steps = (page: Page): Locator => page.getByRole('grid', { name: 'Steps' }).getByRole('row');

async function choose(page: Page, label: string, choice: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

describe('programs in the console', () => {
  const server = consoleServer();

  it('are made by clicks and keys, show problems at their step, are saved, and run on the robot', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const rinse = await ada.call('POST', '/api/sequences', {
      name: 'Rinse',
      body: [{ kind: 'wait', args: { milliseconds: 1 } }],
    });
    const page = await openConsole(open, server, ada, '/programs');
    await page.getByRole('button', { name: 'New program' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Water gently');

    await kind(page, 'Move').click();
    await page.getByRole('textbox', { name: 'X (mm)' }).fill('200');
    await page.getByRole('textbox', { name: 'Y (mm)' }).fill('300');
    await kind(page, 'Wait').click();
    await page.getByRole('textbox', { name: 'Time (ms)' }).fill('200');
    await kind(page, 'Message').click();
    await steps(page)
      .nth(2)
      .getByText(/message/i)
      .nth(1)
      .waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The program was not saved').waitFor();
    expect(await programNamed(ada, 'Water gently')).toBeUndefined();
    await page.getByRole('textbox', { name: 'Message' }).fill('Watered.');
    await page.getByText('The program was not saved').waitFor({ state: 'detached' });

    await kind(page, 'If').click();
    await page.getByRole('textbox', { name: 'Compare with' }).fill('5000');
    await choose(page, 'What to do then', 'Run a program');
    await steps(page).nth(3).getByText('Choose a program').waitFor();
    expect(await page.getByText('The program was not saved').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Program' }).pressSequentially('rin');
    await page.getByRole('option', { name: 'Rinse' }).waitFor();
    // As when a problem that is shown above it moves the page: the list stays.
    await page.evaluate("document.querySelector('main').dispatchEvent(new Event('scroll'))");
    await page.getByRole('option', { name: 'Rinse' }).click();
    await steps(page).nth(3).getByText('X is less than 5000: Rinse').waitFor();
    // As when a person drags the scroll bar, which is a part of the scrolled element: the list closes.
    await page.getByRole('combobox', { name: 'Program' }).press('ArrowDown');
    await page.getByRole('option', { name: 'Rinse' }).waitFor();
    for (const event of ['PointerEvent("pointerdown", { bubbles: true })', 'Event("scroll")'])
      await page.evaluate(`document.querySelector('main').dispatchEvent(new ${event})`);
    await page.getByRole('option', { name: 'Rinse' }).waitFor({ state: 'detached' });

    // By keys alone: the wait goes after the message.
    await page
      .getByRole('grid', { name: 'Steps' })
      .getByRole('button', { name: /^Drag Wait/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => steps(page).nth(2).innerText()).toContain('Wait');
    await page.keyboard.press('Control+z');
    await expect.poll(() => steps(page).nth(2).innerText()).toContain('Message');
    await page.keyboard.press('Control+y');
    await expect.poll(() => steps(page).nth(2).innerText()).toContain('Wait');

    await page.keyboard.press('Control+s');
    await page.getByText('“Water gently” was saved.').waitFor();
    const saved = await programNamed(ada, 'Water gently');
    expect(saved && at(saved, 'body')).toEqual([
      {
        kind: 'move',
        args: {},
        body: [
          {
            kind: 'axis_overwrite',
            args: { axis: 'all', axis_operand: { kind: 'coordinate', args: { x: 200, y: 300, z: 0 } } },
          },
        ],
      },
      { kind: 'send_message', args: { message: 'Watered.', message_type: 'info' } },
      { kind: 'wait', args: { milliseconds: 200 } },
      {
        kind: '_if',
        args: {
          lhs: 'x',
          op: '<',
          rhs: 5000,
          _then: { kind: 'execute', args: { sequence_id: numberAt(rinse, 'id') } },
          _else: { kind: 'nothing', args: {} },
        },
      },
    ]);

    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('list', { name: 'What the robot says' }).getByText('Watered.').waitFor();
    await page.getByText('Done.', { exact: true }).waitFor();

    // A number that is being typed can be saved directly.
    await steps(page).nth(2).getByText('Wait').click();
    await page.getByRole('textbox', { name: 'Time (ms)' }).fill('250');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => at(await ada.call('GET', `/api/sequences/${numberAt(saved ?? {}, 'id')}`), 'body'))
      .toContainEqual({ kind: 'wait', args: { milliseconds: 250 } });
  });

  it('warn of invalid Lua at its step, are saved nevertheless, and describe steps in words', async () => {
    const ada = await gardener(server);
    const place = { kind: 'identifier', args: { label: 'parent' } };
    const to = (axis: string, axis_operand: Json) => ({ kind: 'axis_overwrite', args: { axis, axis_operand } });
    const high = to('z', { kind: 'special_value', args: { label: 'safe_height' } });
    const lower = {
      kind: 'axis_addition',
      args: { axis: 'z', axis_operand: { kind: 'numeric', args: { number: -25 } } },
    };
    const script = { kind: 'lua', args: { lua: `local width = 5 return width + ${'0 + '.repeat(20)}0` } };
    const aside = { kind: 'axis_addition', args: { axis: 'x', axis_operand: script } };
    const body = [
      { kind: 'lua', args: { lua: 'x = = 1' } },
      { kind: 'move', args: {}, body: [to('x', place), to('y', place), to('z', place), high, lower, aside] },
    ];
    const preset = { kind: 'coordinate', args: { x: 1, y: 2, z: 0 } };
    const parameter = { kind: 'parameter_declaration', args: { label: 'parent', default_value: preset } };
    const locals = { kind: 'scope_declaration', args: {}, body: [parameter] };
    const made = await ada.call('POST', '/api/sequences', { name: 'Odd', args: { locals }, body });
    const page = await openConsole(open, server, ada, `/programs/${numberAt(made, 'id')}`, { locale: 'fr-FR' });
    await page.getByText('Ceci n’est pas du Lua : line 1:').first().waitFor();
    const words = 'Endroit : la variable « Endroit », Z : Hauteur sûre, Z − 25 mm, X + Lua';
    await page.getByText(words, { exact: true }).waitFor();
    await page.getByRole('group', { name: 'Endroit' }).first().waitFor();
    await page.getByRole('textbox', { name: 'Nom', exact: true }).fill('Odder');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByText('« Odder » a été enregistré.').waitFor();
    await startRobot(ada);
    await page.getByRole('link', { name: 'Exécuter', exact: true }).click();
    await page.getByRole('button', { name: 'Exécuter maintenant' }).click();
    await page.getByRole('list', { name: 'Ce que dit le robot' }).getByText('« Odder » a commencé.').waitFor();
  });

  it('mark the lines of Lua that a robot runs otherwise, with the reason', async () => {
    const ada = await gardener(server);
    const lua = 'local names = "a,b"\nfor name in names:gmatch("%a") do toast(name) end';
    const made = await ada.call('POST', '/api/sequences', { name: 'Names', body: [{ kind: 'lua', args: { lua } }] });
    const page = await openConsole(open, server, ada, `/programs/${numberAt(made, 'id')}?step=1`);
    await page.getByText('Line 2: a robot has no string.gmatch').first().waitFor();
    await page.getByTitle('Line 2: a robot has no string.gmatch').getByText('for name in').waitFor();
  });

  it('have one scroll bar, Lua in full screen that completes functions, and what resets a robot apart', async () => {
    const ada = await gardener(server);
    const waits = Array.from({ length: 28 }, () => ({ kind: 'wait', args: { milliseconds: 1 } }));
    const body = [...waits, { kind: 'lua', args: { lua: '-- water\n'.repeat(60) } }];
    const made = await ada.call('POST', '/api/sequences', { name: 'Long', body });
    const page = await openConsole(open, server, ada, `/programs/${numberAt(made, 'id')}`);
    await steps(page).last().click();
    const panel = page.getByRole('region', { name: 'Step', exact: true });
    // The panel is beside what is in view.
    await expect.poll(() => panel.getByRole('heading', { name: '29. Lua' }).isVisible()).toBe(true);
    const box = await panel.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(200);
    const scrolled = `[...document.querySelectorAll('main, main *')].filter((each) =>
      each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY)).length`;
    expect(await page.evaluate(scrolled)).toBe(1);

    await panel.getByRole('button', { name: 'Full screen' }).click();
    const large = page.getByRole('dialog', { name: 'Lua' });
    await large.getByRole('textbox').press('Control+End');
    // Not in a comment.
    await page.keyboard.type('-- dispen');
    await page.keyboard.press('Enter');
    await page.keyboard.type('dispen');
    const list = page.getByRole('listbox');
    await list.getByRole('option', { name: /^dispense ?\(milliliters, / }).waitFor();
    await page.getByText('dispense(milliliters, {tool_name=, pin=}?)', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.type('s');
    await list.getByRole('option', { name: /^dispense/ }).click();
    await page.keyboard.type('100');
    await page.keyboard.press('Control+s');
    await page.getByText('“Long” was saved.').waitFor();
    const stored = at(await ada.call('GET', `/api/sequences/${numberAt(made, 'id')}`), 'body');
    expect(JSON.stringify(stored)).toMatch(/-- dispen\\ndispense\(100\)"/);
    await large.getByRole('button', { name: 'Done' }).click();

    const reset = kind(page, 'Factory reset');
    expect(await kind(page, 'Wait').isVisible()).toBe(true);
    expect(await reset.isVisible()).toBe(false);
    await page.getByRole('complementary').getByText('Switch off, update, reset').click();
    await reset.waitFor();
    await steps(page).first().click();
    await kind(page, 'Move').click();
    await page.getByRole('button', { name: 'Add a part of “Move”' }).waitFor();
  });

  it('keep the input when the page is left, and say so when they were changed elsewhere', async () => {
    const ada = await gardener(server, 'bea');
    const program = await ada.call('POST', '/api/sequences', {
      name: 'Calculate',
      body: [{ kind: 'lua', args: { lua: 'return 1' } }],
    });
    const path = `/programs/${numberAt(program, 'id')}`;
    const page = await openConsole(open, server, ada, `${path}?step=1`);
    await page.getByRole('textbox', { name: 'Lua' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('return 1 + 1');
    await page.getByText('Unsaved changes').waitFor();
    await page.getByRole('link', { name: 'Programs' }).last().click();
    await page.getByText('This tab keeps them').waitFor();
    const row = page.getByRole('row', { name: /Calculate/ });
    await row.getByText('Unsaved changes').waitFor();

    await ada.call('PATCH', `/api${path.replace('programs', 'sequences')}`, { name: 'Calculate more' });
    await page.getByRole('row', { name: /Calculate more/ }).click();
    await page.getByText('changed elsewhere').waitFor();
    await steps(page).getByText('return 1 + 1').waitFor();
    let saves = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH') saves++;
    });
    // Nothing is saved before the user has chosen.
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    // A discarded change comes back by undo.
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await steps(page).getByText('return 1 + 1').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await steps(page).getByText('return 1 + 1').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Calculate” was saved.').waitFor();
    const stored = await ada.call('GET', `/api${path.replace('programs', 'sequences')}`);
    expect([textAt(stored, 'name'), at(stored, 'body')]).toEqual([
      'Calculate',
      [{ kind: 'lua', args: { lua: 'return 1 + 1' } }],
    ]);
    expect(saves).toBe(1);
  });

  it('keep their variables apart, and copy steps that were selected with their boxes', async () => {
    const ada = await gardener(server, 'eva');
    const variable = (label: string, default_value: Json): Json => ({
      kind: 'parameter_declaration',
      args: { label, default_value },
    });
    const numeric = { kind: 'numeric', args: { number: 5 } };
    const move = (label: string): Json => ({
      kind: 'move',
      args: {},
      body: [{ kind: 'axis_overwrite', args: { axis: 'x', axis_operand: { kind: 'identifier', args: { label } } } }],
    });
    const made = await ada.call('POST', '/api/sequences', {
      name: 'Two numbers',
      args: {
        locals: { kind: 'scope_declaration', args: {}, body: [variable('a', numeric), variable('ab', numeric)] },
      },
      body: [move('a'), move('ab')],
    });
    const page = await openConsole(open, server, ada, `/programs/${numberAt(made, 'id')}`);
    const name = page.getByRole('group', { name: 'ab', exact: true }).getByRole('textbox', { name: /^Name of the/ });
    await name.fill('a');
    await page.getByText('Another variable has this name.').waitFor();
    await name.fill('amount');
    await name.press('Tab');
    await steps(page).nth(1).getByText('X: the variable “amount”').waitFor();
    await steps(page).nth(0).getByText('X: the variable “a”', { exact: true }).waitFor();

    // An offset cannot be a variable that is set when the program is run.
    await kind(page, 'Move to a place').click();
    await page.getByRole('button', { name: /Where to$/ }).waitFor();
    expect(await page.getByRole('button', { name: /Offset$/ }).count()).toBe(0);
    await page.keyboard.press('Control+z');

    for (const index of [0, 1]) await steps(page).nth(index).locator('label').click();
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Control+x');
    await expect.poll(() => steps(page).getByText('Move').count()).toBe(0);

    // Input in a dialog has an undo of its own.
    await page.getByRole('button', { name: 'Paste steps' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste steps' });
    await dialog.getByRole('textbox').pressSequentially('{}');
    await page.keyboard.press('Control+z');
    expect(await steps(page).getByText('Move').count()).toBe(0);

    // Kinds and types that no program has, but every object of JavaScript.
    const foreign = [
      { kind: 'resource', args: { resource_type: 'constructor', resource_id: 1 } },
      { kind: 'constructor', args: {} },
      { kind: '__proto__', args: {} },
    ];
    await dialog.getByRole('textbox').fill(JSON.stringify(foreign));
    await dialog.getByRole('button', { name: 'Insert 3 steps' }).click();
    await steps(page).nth(2).getByText('There is no kind of step “__proto__”.').waitFor();
  });

  it('become own ones when a shared one that was installed is changed', async () => {
    const ada = await gardener(server, 'finn');
    const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
    const shared = await ada.call('POST', '/api/sequences', { name: 'Shared', body: [wait(6)] });
    const path = `/api/sequences/${numberAt(shared, 'id')}`;
    await ada.call('POST', `${path}/publish`, { copyright: 'Finn' });
    const versions = at(await ada.call('GET', path), 'sequence_versions') as number[];
    const gil = await gardener(server, 'gil');
    const installed = await gil.call('POST', `/api/sequences/${versions[0]}/install`);
    const page = await openConsole(open, server, gil, `/programs/${numberAt(installed, 'id')}?step=1`);
    await page.getByRole('textbox', { name: 'Time (ms)' }).fill('8');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Shared” was saved.').waitFor();
    expect(at(await gil.call('GET', `/api/sequences/${numberAt(installed, 'id')}`), 'body')).toEqual([wait(8)]);
    await page.getByRole('link', { name: 'Sharing' }).click();
    await page.getByText('You have changed it').waitFor();
  });

  it('are shared, found by others by their words, and installed', async () => {
    const ada = await gardener(server);
    const word = `Mulch${ada.userId}`;
    const steps = [{ kind: 'wait', args: { milliseconds: 1 } }];
    const made = await ada.call('POST', '/api/sequences', {
      name: `${word} gently`,
      description: 'Once.',
      body: steps,
    });
    await ada.call('POST', `/api/sequences/${numberAt(made, 'id')}/publish`, { copyright: 'Ada, CC0' });
    const bob = await gardener(server, 'bob');
    const page = await openConsole(open, server, bob, '/programs');
    await page.getByRole('link', { name: 'Shared programs' }).click();
    await page.getByLabel('Find a shared program').fill('no such words');
    await page.getByRole('heading', { name: 'No shared program has these words' }).waitFor();
    await page.getByLabel('Find a shared program').fill(word.toLowerCase());
    const offer = page.getByRole('listitem').filter({ hasText: `${word} gently` });
    await offer.getByText('Ada, CC0').waitFor();
    await offer.getByText('Once.').waitFor();
    await page.getByRole('button', { name: `Install ${word} gently` }).click();
    await page.getByText(/^Installed from the shared version/).waitFor();
    await page.goBack();
    await offer.getByRole('link', { name: `Open “${word} gently”` }).waitFor();
    await openConsole(open, server, ada, `/programs/shared?find=${word}`).then((own) =>
      own.getByText('Yours').waitFor(),
    );
  });

  it('show the step that the robot runs', async () => {
    const ada = await gardener(server, 'dora');
    await startRobot(ada);
    const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
    const body = [wait(1), wait(170_000), wait(1)];
    const program = await ada.call('POST', '/api/sequences', { name: 'Slowly', body });
    const page = await openConsole(open, server, ada, `/programs/${numberAt(program, 'id')}?view=run`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('The robot runs step 2 of 3.').waitFor();
    await steps(page).nth(1).getByText('Running now').waitFor();
    expect(await page.getByText('Running now').count()).toBe(1);
    await page.getByRole('link', { name: 'Robot', exact: true }).click();
    await page.getByText('Slowly, step 2 of 3').waitFor();
    await ada.call('POST', '/api/robot/emergency_stop', {});
    await page.getByText('Slowly, step 2 of 3').waitFor({ state: 'detached' });
  });

  it('are moved and deleted several at once', async () => {
    const ada = await gardener(server);
    for (const n of [10, 2, 1]) await ada.call('POST', '/api/sequences', { name: `Bed ${n}`, body: [] });
    await ada.call('POST', '/api/folders', { name: 'Beds', color: 'green' });
    const page = await openConsole(open, server, ada, '/programs');
    const rows = page.getByRole('treegrid', { name: 'Programs' }).getByRole('row');
    const names = async () => (await rows.allInnerTexts()).map((text) => /^(\S+ \d+)/m.exec(text)?.[1] ?? text.trim());
    await expect.poll(names).toEqual([expect.stringContaining('Beds'), 'Bed 1', 'Bed 2', 'Bed 10']);
    for (const n of [1, 10])
      await rows
        .nth(n === 1 ? 1 : 3)
        .locator('label')
        .click();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Move to a folder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move to a folder' });
    await dialog.getByRole('button', { name: /Folder$/ }).click();
    await page.getByRole('option', { name: 'Beds' }).click();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Moved.').waitFor();
    await page.getByText('2 programs').waitFor();
    for (const index of [1, 3]) await rows.nth(index).locator('label').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 programs were deleted.').waitFor();
    await expect.poll(names).toHaveLength(2);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect.poll(names).toHaveLength(4);
  });

  it('are sorted into folders, found, and deleted with a way back', async () => {
    const ada = await gardener(server, 'cleo');
    for (const name of ['Water', 'Weed'])
      await ada.call('POST', '/api/sequences', { name, body: [{ kind: 'sync', args: {} }] });
    const page = await openConsole(open, server, ada, '/programs');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Daily');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Daily” was created.').waitFor();
    await page.getByRole('button', { name: 'More about Water' }).click();
    await page.getByRole('menuitem', { name: 'Move to a folder' }).click();
    await choose(page, 'No folder', 'Daily');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('row', { name: /Daily/ }).getByText('1 program').waitFor();

    await page.getByRole('searchbox', { name: 'Search programs' }).fill('daily');
    await expect.poll(() => page.getByRole('row').count()).toBe(1);
    expect(page.url()).toContain('find=daily');
    await page.getByRole('button', { name: 'More about Water' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('“Water” was deleted.').waitFor();
    await page.getByText('No program has these words').waitFor();
    await page
      .getByRole('alertdialog', { name: /was deleted/ })
      .getByRole('button', { name: 'Undo' })
      .click();
    await page.getByRole('row', { name: /Water/ }).waitFor();
  });
});
