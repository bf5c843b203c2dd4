import type { Reply } from '../engine/route.ts';
import type { Admission, PageOptions } from './account-pages.ts';
import { maySignUp, narrow, signUpForm } from './account-pages.ts';
import { page } from './page.ts';
import { form, selectField } from './page-forms.ts';

/** The robot of demo gardens unless the visitor chooses another. */
const demoRobot = 'genesis_1.8';

const demoRoute = { to: '/pages/demo', method: 'POST', button: 'Start a demo garden' } as const;

/** A card with a button that starts a demo garden; nothing where there are none. */
const demoCard = ({ hasDemos }: PageOptions): string =>
  hasDemos
    ? form({
        ...demoRoute,
        isSecondary: true,
        // A signed-in person would lose the session without a word.
        isForVisitors: true,
        intro: `<h2>Try it first</h2>
<p>A demo garden needs no account and no robot. It is deleted an hour after its last use. <a href="/demo">Choose the robot</a></p>`,
        fields: `<input name="product_line" type="hidden" value="${demoRobot}">`,
      })
    : '';

const docsCard = `<section class="card"><h2>Develop apps</h2><p>All data can be read and changed over HTTP, and changes are published over MQTT.</p>
<p><a href="/docs">API documentation</a></p></section>`;

/** The first page of a server without accounts: it leads to the first one. */
const firstPage = (options: PageOptions, admission: Admission): Reply =>
  page({
    title: 'Welcome',
    content: `${narrow(
      'Welcome to your garden server',
      maySignUp(admission)
        ? `<p class="lead">Potager is running. Create the first account to begin; your robot will sign in with it, too.</p>
${signUpForm(options, admission)}`
        : `<section class="card"><p>Potager is running, and has no account yet. Sign-up is closed: the operator creates accounts with
<code>potager user create EMAIL</code>.</p><p class="actions"><a class="button" href="/sign_in">Sign in</a></p></section>`,
    )}
<div class="cards">${demoCard(options)}${docsCard}</div>`,
  });

/** The page `/`. */
export function frontPage(options: PageOptions, admission: Admission): Reply {
  if (admission.isNew) return firstPage(options, admission);
  const { signUp } = admission;
  return page({
    title: 'Welcome',
    content: `<h1>Your garden robot server</h1>
<p class="lead">Potager stores the data of your garden robot (plants, tools, sequences, photos and logs), and connects the robot with people
and apps.</p>
<p class="actions when-in"><a class="button" href="/app">My garden</a> <a class="button quiet" href="/logout">Sign out</a></p>
<p class="actions when-out"><a class="button" href="/sign_in">Sign in</a>${signUp === 'open' ? ' <a class="button quiet" href="/sign_up">Create account</a>' : ''}</p>
<div class="cards">
<section class="card"><h2>Connect a robot</h2><p>${signUp === 'open' ? 'Create an account' : 'Ask the operator of this server for an account'}, then enter your e-mail address, your password and the URL of this server on the robot.</p>
<p><a href="/os">How to set up a robot</a></p></section>
${docsCard}
${demoCard(options) || '<section class="card"><h2>Your data is yours</h2><p>It is stored on this server only, and you can download all of it at any time.</p></section>'}
</div>`,
  });
}

/** Starts a demo garden with a chosen robot. */
export const demoPage = ({ hasDemos, robots }: PageOptions): Reply =>
  page({
    title: 'Demo garden',
    content: narrow(
      'Demo garden',
      hasDemos
        ? `<p>A garden with plants, tools and sequences, to look around in. It needs no account and no robot, and is deleted an hour after its last use.</p>
<p class="when-in">You are signed in. A demo garden replaces your session in this browser; your own garden stays as it is.</p>
${form({
  ...demoRoute,
  fields: selectField(
    'product_line',
    'Robot',
    // Of the first option, browsers show the value.
    robots.toSorted((one, other) => Number(other.value === demoRobot) - Number(one.value === demoRobot)),
  ),
})}`
        : `<section class="card"><p>Demo gardens are switched off on this server (<code>DEMO_ACCOUNTS</code>).</p>
<p class="actions"><a class="button" href="/">Home</a></p></section>`,
    ),
  });
