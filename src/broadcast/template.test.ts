import { describe, expect, test } from 'vitest';
import { escapeFor } from '../platforms/telegram/text/escape.ts';
import { Template, textTemplate } from './template.ts';

const fill = (body: Record<string, unknown>, values: Record<string, string> = {}) => {
  const filled = new Template(body, escapeFor).fill(values);
  return filled.kind === 'filled' ? filled.params : filled;
};

describe('a template', () => {
  test('fills every string, however deep, and nothing else', () => {
    const body = {
      text: 'Hello {{name}}, {{ name }}!',
      silent: true,
      reply_markup: { inline_keyboard: [[{ text: 'For {{name}}', callback_data: 'x' }]] },
    };
    expect(fill(body, { name: 'Ada' })).toEqual({
      text: 'Hello Ada, Ada!',
      silent: true,
      reply_markup: { inline_keyboard: [[{ text: 'For Ada', callback_data: 'x' }]] },
    });
  });

  test('has defaults, also empty ones', () => {
    const body = { text: '{{name|friend}}{{title|}}' };
    expect(fill(body)).toEqual({ text: 'friend' });
    expect(fill(body, { name: '', title: '!' })).toEqual({ text: 'friend!' });
  });

  test('says what is missing', () => {
    expect(fill({ text: '{{a}} {{b|}}' }, { b: 'x' })).toEqual({ kind: 'missing', field: 'a' });
    const { fields, required } = new Template({ text: '{{a}} {{b|}}', caption: '{{ä_1}}' });
    expect([[...fields], [...required]]).toEqual([
      ['a', 'b', 'ä_1'],
      ['a', 'ä_1'],
    ]);
  });

  test('leaves alone what is no field', () => {
    const body = { text: '{{}} {{ two words }} {name} }}{{' };
    expect(fill(body)).toEqual(body);
  });

  test('a value is never read as a field', () => {
    expect(fill({ text: '{{a}}' }, { a: '{{b}} $& $1' })).toEqual({ text: '{{b}} $& $1' });
  });
});

describe('a value stays a value', () => {
  const nasty = { v: '<b>"a" & [c](d)*_.\\' };

  test.each([
    ['HTML', '&lt;b&gt;&quot;a&quot; &amp; [c](d)*_.\\'],
    ['MarkdownV2', '<b\\>"a" & \\[c\\]\\(d\\)\\*\\_\\.\\\\'],
    ['Markdown', '<b>"a" & \\[c](d)\\*\\_.\\'],
    [undefined, nasty.v],
  ])('in %s', (parse_mode, written) => {
    expect(fill({ parse_mode, text: '<i>{{v}}</i>' }, nasty)).toMatchObject({
      text: `<i>${written}</i>`,
    });
  });

  test('where the markup is said beside it, and only there', () => {
    const body = {
      parse_mode: 'HTML',
      caption: '{{v}}',
      media: [{ caption: '{{v}}' }, { caption: '{{v}}', parse_mode: 'HTML' }],
      question: '{{v}}',
      question_parse_mode: 'HTML',
      buttons: [{ text: '{{v}}' }],
    };
    expect(fill(body, { v: '<' })).toMatchObject({
      caption: '&lt;',
      media: [{ caption: '<' }, { caption: '&lt;' }],
      question: '&lt;',
      buttons: [{ text: '<' }],
    });
  });

  test('in a link, which it may also be', () => {
    const button = { url: 'https://example.com/?u={{v}}' };
    expect(fill(button, { v: 'a&b=ü' })).toEqual({ url: 'https://example.com/?u=a%26b%3D%C3%BC' });
    const whole = 'https://example.com/?a=b';
    expect(fill({ url: '{{v}}' }, { v: whole })).toEqual({ url: whole });
  });

  test('a default is markup of the author', () => {
    expect(fill({ parse_mode: 'HTML', text: '{{v|<b>you</b>}}' })).toMatchObject({
      text: '<b>you</b>',
    });
  });
});

test('a text in the form of a platform keeps its fields, whatever is escaped around them', () => {
  const escaped = (text: string) => ({ content: text.replace(/[_*]/g, '\\$&') });
  const made = textTemplate('*{{first_name|"you"}}* and {{last_name}}, \ufdd0snake_case', escaped);
  expect(made).toEqual({
    content: '\\*{{first_name|"you"}}\\* and {{last_name}}, snake\\_case',
  });
});
