<?php
// The wiki of the tests: runs from where MediaWiki is installed, keeps everything it writes under WIKI_ROOT.
$root = getenv( 'WIKI_ROOT' );
$switches = json_decode( @file_get_contents( "$root/switches.json" ) ?: '{}', true );

$wgSitename = 'Elwynn Wiki';
$wgMetaNamespace = 'Project';
$wgServer = $wgCanonicalServer = getenv( 'WIKI_SERVER' );
$wgScriptPath = $wgResourceBasePath = getenv( 'WIKI_SCRIPT_PATH' );
$wgArticlePath = getenv( 'WIKI_ARTICLE_PATH' );
$wgUsePathInfo = true;
$wgDefaultSkin = getenv( 'WIKI_SKIN' );
$wgSecretKey = str_repeat( '0', 64 );
$wgLanguageCode = 'en';
$wgRightsUrl = 'https://creativecommons.org/licenses/by-sa/4.0/';
$wgRightsText = 'Creative Commons Attribution-ShareAlike 4.0';
$wgExtraNamespaces = [ 3000 => 'Quest', 3001 => 'Quest_talk' ];
$wgNamespaceAliases = [ 'Task' => 3000 ];
$wgContentNamespaces = [ NS_MAIN, 3000 ];
$wgNamespacesWithSubpages[NS_MAIN] = true;
$wgNamespacesWithSubpages[3000] = true;

// A test's database need not survive the machine: with syncing, an import takes ten times as long.
function wikiDatabase( $name ) {
	return [
		'type' => 'sqlite', 'dbname' => $name, 'tablePrefix' => '', 'dbDirectory' => getenv( 'WIKI_ROOT' ) . '/data',
		'variables' => [ 'synchronous' => 'OFF' ], 'trxMode' => 'IMMEDIATE', 'flags' => 0,
	];
}
$wgDBtype = 'sqlite';
$wgDBname = 'wiki';
$wgSQLiteDataDir = "$root/data";
$wgDBservers = [ wikiDatabase( 'wiki' ) + [ 'load' => 1 ] ];
$wgObjectCaches[CACHE_DB] = [ 'class' => SqlBagOStuff::class, 'server' => wikiDatabase( 'wikicache' ) ];
$wgJobTypeConf['default'] = [ 'class' => 'JobQueueDB', 'claimTTL' => 3600, 'server' => wikiDatabase( 'wiki_jobqueue' ) ];
$wgResourceLoaderUseObjectCacheForDeps = true;
$wgMainCacheType = $wgParserCacheType = $wgMessageCacheType = $wgSessionCacheType = CACHE_DB;
$wgCacheDirectory = "$root/cache";
$wgLocalisationCacheConf['store'] = 'array';
$wgInvalidateCacheOnLocalSettingsChange = false;
$wgJobRunRate = 0;

// No program for images is asked for: the browser scales them.
$wgEnableUploads = true;
$wgUseImageResize = $wgUseImageMagick = false;
$wgUploadDirectory = "$root/images";
$wgUploadPath = "$wgScriptPath/images";
$wgEnableEmail = false;
$wgPingback = false;
$wgShowExceptionDetails = true;

foreach ( [ 'MinervaNeue', 'MonoBook', 'Timeless', 'Vector' ] as $skin ) {
	wfLoadSkin( $skin );
}
foreach ( [ 'CategoryTree', 'Cite', 'ImageMap', 'Math', 'ParserFunctions', 'Poem', 'SyntaxHighlight_GeSHi', 'TextExtracts' ] as $extension ) {
	wfLoadExtension( $extension );
}
// Formulas are rendered ahead, in the table mathoid; whatever else is asked for, the renderer knows nothing of.
$wgMathDisableTexFilter = 'always';
$wgMathoidCli = [ 'echo', '{}' ];
$wgDefaultUserOptions['math'] = getenv( 'WIKI_MATH' );

// The switches a test throws.
if ( isset( $switches['readonly'] ) ) {
	$wgReadOnly = $switches['readonly'];
}
if ( isset( $switches['result_bytes'] ) ) {
	$wgAPIMaxResultSize = $switches['result_bytes'];
}
if ( $switches['private'] ?? false ) {
	$wgGroupPermissions['*']['read'] = false;
}
if ( isset( $switches['lag'] ) ) {
	$wgHooks['ApiMaxLagInfo'][] = static function ( &$lag ) use ( $switches ) {
		$lag = [ 'host' => 'db1', 'lag' => $switches['lag'], 'type' => 'db' ];
	};
}
