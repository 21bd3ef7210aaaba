import stylistic from "@stylistic/eslint-plugin";
import tseslint from "typescript-eslint";

const NODE_GLOBALS = ["process", "Buffer", "global", "__dirname", "__filename", "require", "setImmediate"];

/** Where the workbench shows text, foreign text can run commands: src/extension/workbench-text.ts alone calls these. */
const WORKBENCH_SINKS = [
  "showInformationMessage",
  "showWarningMessage",
  "showErrorMessage",
  "setStatusBarMessage",
  "withProgress",
  "showQuickPick",
  "createQuickPick",
  "showInputBox",
  "createInputBox",
  "createStatusBarItem",
  "createOutputChannel",
  "createTerminal",
  "createTextEditorDecorationType",
  "createDiagnosticCollection",
  "registerHoverProvider",
  "registerCodeLensProvider",
  "MarkdownString",
];
const WORKBENCH_TEXTS = [
  "title",
  "prompt",
  "placeholder",
  "validationMessage",
  "tooltip",
  "label",
  "description",
  "detail",
  "message",
  "text",
  "badge",
];
const HTML_SINKS = [
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "dangerouslySetInnerHTML",
  "setHTMLUnsafe",
  "srcdoc",
  "srcDoc",
  "createContextualFragment",
  "parseFromString",
];
const NO_ENUM = { selector: "TSEnumDeclaration", message: "Use a union of string literals." };
/** @param {readonly string[]} names */
const named = (names) => `/^(${names.join("|")})$/`;
/** A name in code, also as that of a member in brackets. @param {readonly string[]} names */
const anyUse = (names) =>
  ["Identifier[name", "JSXIdentifier[name", "Literal[value", "TemplateElement[value.raw"]
    .map((kind) => `${kind}=${named(names)}]`)
    .join(", ");

/** A text in English that no translation would reach. */
const WORDS = "/(^|[ (“])[A-Za-z][a-z]+([ ,.;…)”?]|: |$)/";
const BARE = `:matches(Literal[value=${WORDS}], TemplateLiteral:has(> TemplateElement[value.raw=${WORDS}]))`;
const SHOWN_PROPS = named(["title", "aria-label", "placeholder", "label", "what", "button", "caption", "heading"]);
const SHOWN_OPTIONS = named(["title", "label", "placeHolder", "prompt", "detail", "openLabel"]);
/** @param {readonly string[]} places */
const untranslated = (...places) => ({
  selector: places.join(", "),
  message: "Texts that a person reads go through t of @vscode/l10n: npm run manifest collects them.",
});
const IN_EXTENSION = untranslated(
  `Property[key.name=${SHOWN_OPTIONS}] > ${BARE}`,
  `NewExpression[callee.name='UserError'] > ${BARE}`,
  `CallExpression[callee.object.property.name='notifier'] > ${BARE}`,
);
const IN_PAGES = untranslated(
  `:not(JSXElement[openingElement.name.name=/^(code|kbd)$/]) > JSXText[value=${WORDS}]`,
  `JSXAttribute[name.name=${SHOWN_PROPS}] > ${BARE}`,
  `JSXAttribute[name.name=${SHOWN_PROPS}] > JSXExpressionContainer > ${BARE}`,
);

const WORKBENCH_RULES = [
  NO_ENUM,
  {
    selector: anyUse(WORKBENCH_SINKS),
    message: "Show text through src/extension/workbench-text.ts: text of endpoints and files may hold links and icons.",
  },
  {
    // Not where it is only a type.
    selector: ":not(ImportSpecifier, TSTypeReference, TSQualifiedName) > Identifier[name='TreeItem']",
    message: "Make tree rows with treeItem of src/extension/workbench-text.ts.",
  },
  {
    selector: `AssignmentExpression[left.property.name=${named(WORKBENCH_TEXTS)}]`,
    message: "Set texts of the workbench through src/extension/workbench-text.ts.",
  },
];

/** What opens files to read them. src/files/opener.ts alone does, so that no pipe, device or link is read unawares. */
const OPENERS = ["open", "readFile", "createReadStream", "openAsBlob", "openSync", "readFileSync", "readv", "read"];
const OPENED_ELSEWHERE = {
  message: "Read files through src/files/opener.ts: what lies at a path may be a pipe, a device or a link.",
};
/** They create files, or read what is of this machine or of the package. */
const OWN_FILES = [
  ...["export/output-file", "journal/member-file", "packed", "owner", "parquet/wasm"].map(
    (name) => `src/files/${name}.ts`,
  ),
  "src/collect/processor.ts",
  "src/experiment/processes.ts",
  "src/engine/provenance/processes.ts",
];

/** `stats` of a series' result is read through `statisticOf` alone, so that every face tells the same number. */
const oneView = {
  meta: { messages: { view: "Read statistics of a series through src/core/model/series-statistics.ts." } },
  create(context) {
    const { esTreeNodeToTSNodeMap, program } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const check = (node, owner) => {
      const type = checker.getApparentType(checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(owner)));
      const declared = checker.getPropertyOfType(type, "stats")?.declarations ?? [];
      if (declared.some((one) => one.getSourceFile().fileName.endsWith("/src/core/model/statistics.ts")))
        context.report({ node, messageId: "view" });
    };
    return {
      "MemberExpression[property.name='stats'], MemberExpression[property.value='stats']": (node) =>
        check(node, node.object),
      "ObjectPattern > Property[key.name='stats']": (node) => check(node, node.parent),
    };
  },
};

const DOM_GLOBALS = ["window", "document", "navigator", "localStorage", "HTMLElement"];

export default tseslint.config(
  { ignores: ["dist/**", "out/**", ".cache/**", "node_modules/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  // Prettier breaks code at 120; what it leaves longer (comments, long conditions) is ours to break. Texts stay whole.
  {
    files: ["**/*.{ts,tsx,mts,mjs}"],
    plugins: { "@stylistic": stylistic },
    rules: {
      "@stylistic/max-len": [
        "error",
        { code: 120, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
      ],
    },
  },
  {
    files: ["**/*.ts", "**/*.tsx", "**/*.mts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "no-console": "error",
      eqeqeq: "error",
      "no-restricted-syntax": ["error", NO_ENUM],
    },
  },
  // Types that third-party declarations pull in make some globals visible where they do not exist at run time.
  {
    files: ["src/core/**", "src/protocol/**"],
    rules: { "no-restricted-globals": ["error", ...NODE_GLOBALS, ...DOM_GLOBALS] },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/files/opener.ts", ...OWN_FILES],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          paths: ["node:fs", "fs", "node:fs/promises", "fs/promises"].map((name) => ({
            name,
            // As a whole, too: by a member of it anything could be called.
            importNames: [...OPENERS, "default", "promises"],
            ...OPENED_ELSEWHERE,
          })),
          patterns: [],
        },
      ],
    },
  },
  {
    files: ["src/**/*.ts", "webview-ui/**/*.{ts,tsx}"],
    ignores: ["src/core/model/series-statistics.ts", "src/core/stats/**", "src/core/artifacts/**"],
    plugins: { own: { rules: { "one-view": oneView } } },
    rules: { "own/one-view": "error" },
  },
  {
    files: ["src/extension/**/*.ts"],
    ignores: ["src/extension/workbench-text.ts"],
    rules: {
      "no-restricted-syntax": ["error", ...WORKBENCH_RULES, IN_EXTENSION],
    },
  },
  // Their texts are in package.nls.json, for a language model, or those of another process.
  {
    files: ["manifest/**", "agents.ts", "demo/worker.ts"].map((name) => `src/extension/${name}`),
    rules: { "no-restricted-syntax": ["error", ...WORKBENCH_RULES] },
  },
  {
    files: ["src/cli/**/*.ts"],
    ignores: ["src/cli/print/terminal.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        NO_ENUM,
        {
          selector:
            "MemberExpression[property.name='write']:matches([object.property.name=/^std/], [object.name=/^std/])",
          message: "Print through src/cli/print/terminal.ts: text of endpoints and files may hold escapes.",
        },
        {
          selector:
            "CallExpression[arguments.0.raw=/^[12]$/]:matches([callee.name=/^write/], [callee.property.name=/^write/])",
          message: "Print through src/cli/print/terminal.ts: text of endpoints and files may hold escapes.",
        },
      ],
    },
  },
  {
    files: ["webview-ui/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-syntax": [
        "error",
        NO_ENUM,
        {
          selector: anyUse(HTML_SINKS),
          message: "Text of endpoints and files is shown as text, never as HTML.",
        },
        IN_PAGES,
      ],
    },
  },
  { files: ["webview-ui/**"], rules: { "no-restricted-globals": ["error", ...NODE_GLOBALS] } },
  { files: ["test/**"], rules: { "@typescript-eslint/no-non-null-assertion": "off" } },
  { files: ["**/*.d.ts"], rules: { "no-var": "off" } },
  { files: ["test/bench/**", "test/fuzz/**", "test/torture/**"], rules: { "no-console": "off" } },
  {
    files: ["**/*.mjs"],
    extends: [tseslint.configs.base],
    rules: { eqeqeq: "error", "prefer-const": "error", "no-var": "error" },
  },
);
