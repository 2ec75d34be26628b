// One route on the description's page: what it does, how it is called, what it takes and answers.

import type {
  DescribedAnswer,
  DescribedOperation,
  DescribedParameter,
  MediaContent,
} from '../openapi/description.ts';
import { curlLines } from './curl.ts';
import { type Html, html, prose } from './html.ts';
import { showSchema, typeOf } from './schema.ts';

export interface DescribedRoute {
  readonly verb: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

export function showRoute({ verb, path, operation }: DescribedRoute): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(showContent);
  const answers = Object.entries(responses).map(showAnswer);
  return html`<article id="${operationId}">
<h3><a href="#${operationId}"><b class="${verb}">${verb}</b> <code>${path}</code></a></h3>
<p>${prose(summary)}. <span class="role">${description}</span></p>
${curlLines(verb, path, operation).map(showLine)}
${parameters.length === 0 ? null : folded('Parameters', html`<dl>${parameters.map(showParameter)}</dl>`)}
${bodies.length === 0 ? null : folded('Body', html`${bodies}`)}
${folded('Answers', html`${answers}`)}
</article>`;
}

function folded(name: string, within: Html): Html {
  return html`<details><summary>${name}</summary>${within}</details>`;
}

function showLine({ name, line }: { name: string; line: string }): Html {
  return html`<figure><figcaption>${prose(name)}</figcaption>
<pre><code>${line}</code></pre></figure>`;
}

function showParameter(parameter: DescribedParameter): Html {
  const { name, in: where, required, description, schema } = parameter;
  const said = description ?? (schema.description as string | undefined);
  const must = required === true ? '' : ', optional';
  return html`<dt><code>${name}</code>
<span class="type">in the ${where}, ${typeOf(schema)}${must}</span></dt>
<dd>${said === undefined ? null : prose(said)}</dd>`;
}

function showAnswer([status, { description, content = {} }]: [string, DescribedAnswer]): Html {
  const when = status === 'default' ? 'otherwise' : status;
  return html`<h4>${when}: ${description}</h4>${Object.entries(content).map(showContent)}`;
}

function showContent([type, { schema }]: [string, MediaContent]): Html {
  const isPlain = schema.type === 'string';
  return html`<p class="content">${type}</p>${isPlain ? null : showSchema(schema)}`;
}
